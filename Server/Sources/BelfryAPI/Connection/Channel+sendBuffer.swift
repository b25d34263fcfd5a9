#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import NIOCore

/// The system's send buffer for a client that does not read. A channel without a socket, as in a test, has no such
/// buffer.
extension Channel {
    /// Keeps the system from buffering megabytes that nobody reads. It asks for more when half of this is left, so the
    /// server also notices in time whether a client reads.
    func limitSendBuffer() {
        let option = ChannelOptions.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT))
        // A system without this option works too; it only buffers more.
        try? syncOptions?.setOption(option, value: 32_768)
    }

    /// Lets the system drop unread data when the connection closes. Otherwise it would offer it for minutes.
    func dropUnsentBytesOnClose() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
