import BelfryServices
import Foundation
import Logging
import NIOSSL
import Synchronization

/// Keeps the certificate that new connections are shown: when its files change it is read anew, and connections that
/// are open go on with theirs (SEC-1). A pair that is of no use leaves the old one in place. Whoever owns it calls
/// `look()` now and then.
package final class CertificateWatch: Sendable {
    /// How often the files are looked at, in seconds.
    package static let interval: TimeInterval = 5

    private struct State {
        var certificate: ServerCertificate
        /// Of what was read last, be it of use or not: a fault is told once.
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
        // Taken before the files are read: what changes meanwhile is seen the next time.
        let stamp = files.stamp
        state = Mutex(State(certificate: try files.load(), stamp: stamp))
        reportValidity()
    }

    /// What a connection that begins now is shown.
    package var context: NIOSSLContext { state.withLock { $0.certificate.context } }

    /// Reads the files anew when they have changed.
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

    /// Says once each that the certificate is near its end, past it, or before its time.
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
