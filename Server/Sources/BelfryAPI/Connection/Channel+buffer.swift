#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
import NIOCore

/// What the system keeps of a connection for a client that does not take it yet. What is no socket, in a test, has none.
extension Channel {
    /// Keeps the system from taking megabytes that nobody reads: it asks for more when half of this is left to send, so
    /// it is also seen here in time whether a client reads.
    func bufferLittle() {
        let option = ChannelOptions.tcpOption(.init(rawValue: TCP_NOTSENT_LOWAT))
        // A system without it serves as well, and only keeps more.
        try? syncOptions?.setOption(option, value: 32_768)
    }

    /// Lets the system drop what was not taken when the connection is closed. It would offer it for minutes otherwise.
    func dropsUnsentBytes() {
        _ = (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
    }
}
