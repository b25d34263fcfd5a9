import ArgumentParser
import BelfryCommand
import Logging
import ServiceLifecycle

/// The benchmarks of Belfry's own parts. Each is compared with a public tool on the same machine in the same minute.
package struct BenchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure speed and cost, compared with a public tool in the same run.",
        subcommands: [
            BenchPushCommand.self, BenchIntakeCommand.self, BenchRegistrationCommand.self, BenchSDKCommand.self,
            BenchServeCommand.self, BenchCampaignCommand.self, BenchAudienceCommand.self,
            BenchMessageCenterCommand.self, BenchInAppCommand.self, BenchKillsCommand.self, BenchSoakCommand.self,
            BenchRehearsalCommand.self, BenchConsoleCommand.self, BenchEnginesCommand.self, BenchFleetCommand.self,
            BenchClusterCommand.self,
        ]
    )

    package init() {}
}

extension Service {
    /// Runs the benchmark to its end or until it is interrupted. Also after an interrupt it ends its child processes
    /// before this returns.
    func runAlone() async throws {
        var logger = Logger(label: "belfry.bench", factory: { OneLineLogHandler.standardError(label: $0) })
        logger.logLevel = .critical
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                cancellationSignals: [.sigint, .sigterm], logger: logger
            )
        )
        do {
            try await group.run()
        } catch is CancellationError {
            throw ExitCode.failure
        }
    }
}
