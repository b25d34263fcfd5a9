import BelfryModel
import BelfryServices
import Foundation

/// A way to the server of some settings: to where it listens, under a name that its certificate may be for.
struct OwnAddress: Hashable, Sendable {
    /// What is called. Over TLS the certificate has to be for its host.
    let text: String
    /// Where names lead, whatever a resolver says of them.
    var names: [String: String] = [:]

    /// In the order in which they are tried; the last one is where the server listens.
    static func all(of configuration: ServeConfiguration) -> [OwnAddress] {
        let host = called(configuration.host)
        guard configuration.certificate != nil else { return [OwnAddress("http", host, configuration.port)] }
        let listening = OwnAddress("https", host, configuration.port)
        guard let name = publicHost(configuration), !name.utf8.elementsEqual(host.utf8) else { return [listening] }
        var named = OwnAddress("https", name, configuration.port)
        // An address leads where it leads.
        if IPAddress(name) == nil { named.names = [name: host] }
        return [named, listening]
    }

    /// Where somebody may listen who keeps the server of these settings from its port, without being found by ``all(of:)``:
    /// one for all addresses of IPv6 takes those of IPv4 as well. Nil for other settings.
    static func overIPv4(of configuration: ServeConfiguration) -> OwnAddress? {
        guard configuration.host.contains(":"), IPAddress(configuration.host)?.isUnspecified == true else { return nil }
        return OwnAddress(configuration.certificate == nil ? "http" : "https", "127.0.0.1", configuration.port)
    }

    private init(_ scheme: String, _ host: String, _ port: Int) {
        text = "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Who listens on all addresses is called on this machine's own.
    private static func called(_ host: String) -> String {
        guard IPAddress(host)?.isUnspecified == true else { return host }
        return host.contains(":") ? "::1" : "127.0.0.1"
    }

    private static func publicHost(_ configuration: ServeConfiguration) -> String? {
        guard let host = configuration.publicURL.flatMap(URLText.url)?.host else { return nil }
        let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        return bare.isEmpty ? nil : bare
    }
}
