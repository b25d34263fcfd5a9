import ArgumentParser

/// The one program: server, administration, simulators, demonstration and benchmarks.
@main
struct BelfryProgram: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "belfry",
        abstract: "A self-hosted mobile engagement platform.",
        subcommands: [
            ServeCommand.self, AppCommand.self, AudienceCommand.self, CampaignCommand.self, ExplainCommand.self,
            ContactCommand.self, DeviceCommand.self, EraseCommand.self, QuarantineCommand.self, SimulateCommand.self,
            DemoCommand.self, BenchCommand.self,
        ]
    )
}
