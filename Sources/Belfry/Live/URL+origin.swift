import Foundation

extension URL {
    /// Scheme, host and port of a server's address: what a request's path, which is whole, comes behind.
    var origin: String {
        let port = port.map { ":\($0)" } ?? ""
        let host = host ?? ""
        // An IPv6 address stands in brackets.
        let authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        return "\(scheme ?? "https")://\(authority)\(port)"
    }
}
