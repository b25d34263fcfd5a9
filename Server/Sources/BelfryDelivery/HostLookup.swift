import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The addresses that a connection to a host may be made to: found once and checked, so that it is to these and no
/// others that it is made (SEC-5). Whoever names a host may change what the name means from one moment to the next.
package enum HostLookup {
    /// - Parameter threads: where the system's resolver blocks; it may take many seconds.
    /// - Returns: one or more.
    package static func addresses(
        of host: String, port: Int, allowedBy settings: DeliverySettings, on threads: NIOThreadPool,
        eventLoop: any EventLoop
    ) -> EventLoopFuture<[SocketAddress]> {
        threads.runIfActive(eventLoop: eventLoop) {
            let found = try resolve(host, port: port)
            let allowed = found.filter { settings.allows($0) }
            guard !allowed.isEmpty else { throw HostLookupError.privateAddress }
            return allowed
        }
    }

    /// What the system says, in its order, for names and for addresses alike.
    private static func resolve(_ host: String, port: Int) throws(HostLookupError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // The number's type differs from system to system.
        hints.ai_protocol = CInt(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else { throw .unknownHost }
        defer { freeaddrinfo(first) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = address(entry, host: host), !addresses.contains(address) else { continue }
            addresses.append(address)
        }
        guard !addresses.isEmpty else { throw .unknownHost }
        return addresses
    }

    private static func address(_ entry: addrinfo, host: String) -> SocketAddress? {
        guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
        return switch entry.ai_family {
        case AF_INET: SocketAddress(raw.loadUnaligned(as: sockaddr_in.self), host: host)
        case AF_INET6: SocketAddress(raw.loadUnaligned(as: sockaddr_in6.self), host: host)
        default: nil
        }
    }
}

package enum HostLookupError: Error {
    case unknownHost
    /// It has addresses, and to none of them a connection may be made.
    case privateAddress
}

/// Gives NIO, which asks by name, addresses that were found before.
struct FoundAddresses: Resolver {
    let found: EventLoopFuture<[SocketAddress]>

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        found.map { $0.filter { $0.protocol == .inet } }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        found.map { $0.filter { $0.protocol == .inet6 } }
    }

    func cancelQueries() {}
}
