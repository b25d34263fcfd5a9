import ArgumentParser

/// Measures our own engines, to be compared with a public tool on the same machine in the same minute.
struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure speed and cost; compare with a public tool in the same run.",
        subcommands: [
            BenchPushCommand.self, BenchIntakeCommand.self, BenchRegistrationCommand.self, BenchSDKCommand.self,
            BenchServeCommand.self, BenchCampaignCommand.self, BenchAudienceCommand.self,
            BenchMessageCenterCommand.self, BenchInAppCommand.self, BenchKillsCommand.self, BenchSoakCommand.self,
        ]
    )
}
