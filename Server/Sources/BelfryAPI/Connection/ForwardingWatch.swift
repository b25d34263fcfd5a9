import BelfryServices
import Logging
import Synchronization

/// Warns once of a proxy whose `X-Forwarded-For` is not trusted (SEC-11): all callers behind it look like one, and if
/// it runs on this machine none of them is limited.
final class ForwardingWatch: Sendable {
    private let proxies: TrustedProxies
    private let logger: Logger
    private let hasWarnedOfLoopback = Atomic(false)
    private let hasWarnedOfOther = Atomic(false)

    init(proxies: TrustedProxies, logger: Logger) {
        self.proxies = proxies
        self.logger = logger
    }

    /// - Parameter peer: the other end of the connection that sent the header.
    func see(from peer: IPAddress) {
        guard !proxies.contains(peer) else { return }
        if peer.isLoopback {
            guard !hasWarnedOfLoopback.exchange(true, ordering: .relaxed) else { return }
            logger.warning(
                """
                a proxy on this machine sends X-Forwarded-For and is not trusted: its callers count as this machine, \
                which has no limits for requests and connections; name the proxy with --trusted-proxies
                """
            )
        } else if proxies.isEmpty {
            // Any client may send the header, so it proves little, and nothing once proxies are named.
            guard !hasWarnedOfOther.exchange(true, ordering: .relaxed) else { return }
            logger.warning(
                """
                a request has X-Forwarded-For and no proxy is trusted: if there is one in front of this server, all \
                its callers share the limits of one address; name the proxy with --trusted-proxies
                """
            )
        }
    }
}
