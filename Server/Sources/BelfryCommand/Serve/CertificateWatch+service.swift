import BelfryAPI
import Foundation
import ServiceLifecycle

/// Looks at the files as long as the server lives.
extension CertificateWatch: Service {
    package func run() async throws {
        // Only its end wakes it early.
        try? await cancelWhenGracefulShutdown { [self] in
            while true {
                try await environment.sleepUntil(environment.now().addingTimeInterval(Self.interval))
                look()
            }
        }
    }
}
