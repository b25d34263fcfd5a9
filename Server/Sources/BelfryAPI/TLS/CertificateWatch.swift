import BelfryServices
import Foundation
import Logging
import NIOSSL
import Synchronization

/// Holds the certificate for new connections: if its files change, it is read again, and open connections keep theirs
/// (SEC-1). An unusable pair leaves the previous one in place. The owner calls `look()` regularly.
package final class CertificateWatch: Sendable {
    /// How often the files are checked, in seconds.
    package static let interval: TimeInterval = 5

    private struct State {
        var certificate: ServerCertificate
        /// The state of the files when they were last read, usable or not, so that each error is reported once.
        var stamp: ServerCertificateFiles.Stamp
        var reported: ServerCertificate.Validity = .valid
    }

    private let files: ServerCertificateFiles
    package let environment: ServerEnvironment
    private let logger: Logger
    private let state: Mutex<State>

    package init(
        files: ServerCertificateFiles, environment: ServerEnvironment, logger: Logger
    ) throws(ServerCertificateError) {
        self.files = files
        self.environment = environment
        self.logger = logger
        // Taken before the files are read, so that a change during the reading is noticed next time.
        let stamp = files.stamp
        state = Mutex(State(certificate: try files.load(), stamp: stamp))
        reportValidity()
    }

    /// The certificate for a new connection.
    package var context: NIOSSLContext { state.withLock { $0.certificate.context } }

    /// Reads the files again if they have changed.
    package func look() {
        let stamp = files.stamp
        if state.withLock({ $0.stamp }) != stamp { reload(stamp) }
        reportValidity()
    }

    private func reload(_ stamp: ServerCertificateFiles.Stamp) {
        do {
            let certificate = try files.load()
            state.withLock {
                $0.certificate = certificate
                $0.stamp = stamp
                $0.reported = .valid
            }
            logger.notice("certificate reloaded", metadata: ["file": "\(files.certificate)"])
        } catch {
            state.withLock { $0.stamp = stamp }
            logger.error(
                "the new certificate cannot be used; the server keeps the old one",
                metadata: ["reason": "\(error.description)"]
            )
        }
    }

    /// Warns once for each of these: the certificate expires soon, has expired, or is not valid yet.
    private func reportValidity() {
        let now = environment.now()
        let news = state.withLock { state -> ServerCertificate.Validity? in
            let validity = state.certificate.validity(at: now)
            guard validity != state.reported else { return nil }
            state.reported = validity
            return validity
        }
        let file: Logger.Metadata = ["file": "\(files.certificate)"]
        switch news {
        case .expired?: logger.warning("the certificate has expired: clients will reject it", metadata: file)
        case .notYet?: logger.warning("the certificate is not valid yet: clients will reject it", metadata: file)
        case .endsSoon?: logger.warning("the certificate expires within seven days", metadata: file)
        case .valid?, nil: break
        }
    }
}
