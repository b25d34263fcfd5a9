import BelfryServices
import Logging
import Synchronization

/// Warns of a proxy whose `X-Forwarded-For` is not believed, once (SEC-11): behind it all callers are one, and when it
/// is on this machine none of them is limited.
final class ForwardingWatch: Sendable {
    private let proxies: TrustedProxies
    private let logger: Logger
    private let hasToldOfLoopback = Atomic(false)
    private let hasToldOfOther = Atomic(false)

    init(proxies: TrustedProxies, logger: Logger) {
        self.proxies = proxies
        self.logger = logger
    }

    /// - Parameter peer: who sent the header: the other end of the connection.
    func see(from peer: IPAddress) {
        guard !proxies.contains(peer) else { return }
        if peer.isLoopback {
            guard !hasToldOfLoopback.exchange(true, ordering: .relaxed) else { return }
            logger.warning(
                """
                a proxy on this machine sends X-Forwarded-For and is not trusted: its callers count as this machine, \
                which has no limits for requests and connections; name the proxy with --trusted-proxies
                """
            )
        } else if proxies.isEmpty {
            // Whoever calls may send the header, so it says little, and nothing once proxies are named.
            guard !hasToldOfOther.exchange(true, ordering: .relaxed) else { return }
            logger.warning(
                """
                a request has X-Forwarded-For and no proxy is trusted: if there is one in front of this server, all \
                its callers share the limits of one address; name the proxy with --trusted-proxies
                """
            )
        }
    }
}
