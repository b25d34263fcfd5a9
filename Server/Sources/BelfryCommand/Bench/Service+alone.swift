import ArgumentParser
import Logging
import ServiceLifecycle

extension Service {
    /// Runs to its end, or until it is interrupted: then too it may end its child processes before this returns.
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
