import BelfryModel
import BelfryServices
import Foundation

/// One way to call this deployment's own server: the place where it listens, under a host name that its certificate may
/// be for.
struct OwnAddress: Hashable, Sendable {
    /// The URL to call. Over TLS, the certificate must be for its host.
    let text: String
    /// Addresses by host name, used instead of DNS.
    var names: [String: String] = [:]

    /// All addresses in the order in which they are tried. The last one is where the server listens.
    static func all(of configuration: ServeConfiguration) -> [OwnAddress] {
        let host = called(configuration.host)
        guard configuration.certificate != nil else { return [OwnAddress("http", host, configuration.port)] }
        let listening = OwnAddress("https", host, configuration.port)
        guard let name = publicHost(configuration), !name.utf8.elementsEqual(host.utf8) else { return [listening] }
        var named = OwnAddress("https", name, configuration.port)
        // An IP address needs no name resolution.
        if IPAddress(name) == nil { named.names = [name: host] }
        return [named, listening]
    }

    /// The IPv4 address at which another program may block this server's port without being found by ``all(of:)``:
    /// listening on all IPv6 addresses takes the port on IPv4 as well. Nil for settings that do not listen on all IPv6
    /// addresses.
    static func overIPv4(of configuration: ServeConfiguration) -> OwnAddress? {
        guard configuration.host.utf8.contains(UInt8(ascii: ":")), IPAddress(configuration.host)?.isUnspecified == true
        else { return nil }
        return OwnAddress(configuration.certificate == nil ? "http" : "https", "127.0.0.1", configuration.port)
    }

    private init(_ scheme: String, _ host: String, _ port: Int) {
        text = "\(scheme)://\(host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host):\(port)"
    }

    /// A server that listens on all addresses is called at this machine's loopback address.
    private static func called(_ host: String) -> String {
        guard IPAddress(host)?.isUnspecified == true else { return host }
        return host.utf8.contains(UInt8(ascii: ":")) ? "::1" : "127.0.0.1"
    }

    private static func publicHost(_ configuration: ServeConfiguration) -> String? {
        guard let host = configuration.publicURL.flatMap(URLText.url)?.host else { return nil }
        let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return bare.isEmpty ? nil : bare
    }
}
