/// A place in a URL.
enum SimulatorAddress {
    /// The base URL of a service, without a path, as RFC 6454 §6.2 writes an origin: the usual port is left out.
    static func origin(host: String, port: Int) -> String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == 443 ? "https://\(name)" : "https://\(name):\(port)"
    }
}
