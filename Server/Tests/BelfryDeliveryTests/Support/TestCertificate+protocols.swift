import BelfryServerTestSupport
import NIOCore
import NIOSSL

extension TestCertificate {
    /// A server that shows it, offers these protocols, and does not wait long for the end of a connection.
    func server(protocols: [String]) throws -> NIOSSLContext {
        try server { configuration in
            configuration.applicationProtocols = protocols
            configuration.shutdownTimeout = .milliseconds(100)
        }
    }
}
