import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The addresses of a host to which a connection may be made. They are looked up once and checked, and the connection
/// uses only these (SEC-5): the owner of a host name can change its addresses at any moment.
package enum HostLookup {
    /// - Parameter threads: where the system's resolver blocks, possibly for many seconds.
    /// - Returns: one or more addresses.
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

    /// The system's response, in its order, for names and for addresses.
    private static func resolve(_ host: String, port: Int) throws(HostLookupError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        // The type of this number differs between systems.
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
    /// The host has addresses, but none to which a connection is allowed.
    case privateAddress
}

/// A resolver that gives NIO the addresses that were found before.
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
