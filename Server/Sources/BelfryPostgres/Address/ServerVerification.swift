import Foundation

/// How a server proves that it is the one that the address names (SEC-11). libpq's own default, `sslmode=prefer`, takes
/// whoever answers, and goes on without TLS where it is refused.
enum ServerVerification {
    /// Where systems keep the certificates that everybody trusts: Debian, Fedora, Alpine and macOS.
    static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// Adds to libpq's settings what the address leaves open: a server that is not on this machine shows a certificate
    /// for its name, signed by somebody whom the system trusts.
    ///
    /// - Parameters:
    ///   - bundle: the file of trusted certificates; nil: where libpq looks by itself.
    ///   - environment: of this process.
    static func completed(
        _ settings: [String: String], bundle: String?, environment: [String: String]
    ) -> [String: String] {
        var settings = settings
        if isAdded(to: settings, environment: environment) { settings["sslmode"] = "verify-full" }
        if settings["sslmode"] == "verify-full", settings["sslrootcert", default: ""].isEmpty, let bundle {
            settings["sslrootcert"] = bundle
        }
        return settings
    }

    /// Whether the server has to prove itself though its address does not say so.
    static func isAdded(to settings: [String: String], environment: [String: String]) -> Bool {
        settings["sslmode", default: ""].isEmpty && !isLocal(settings, environment)
    }

    /// Whether libpq will go to nobody but this machine. What the address leaves open it takes from a service, then from
    /// its environment; and it goes to `hostaddr` whenever there is one, whatever `host` is.
    ///
    /// Without any of them it looks for a socket of this machine, over which it asks for no TLS whatever the mode is.
    private static func isLocal(_ settings: [String: String], _ environment: [String: String]) -> Bool {
        func given(_ keyword: String) -> String? { settings[keyword].flatMap { $0.isEmpty ? nil : $0 } }
        if let address = given("hostaddr") { return areLocal(address) }
        // What stands in its file is libpq's affair: it may name any server.
        guard given("service") == nil, environment["PGSERVICE"] == nil else { return false }
        if let address = environment["PGHOSTADDR"], !address.isEmpty { return areLocal(address) }
        return areLocal(given("host") ?? environment["PGHOST"] ?? "")
    }

    /// Whether all of a list are on this machine.
    private static func areLocal(_ hosts: String) -> Bool {
        hosts.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy {
            isLocal(host: String($0) ?? "")
        }
    }

    /// A socket's folder or abstract name, or an address of the loopback interface.
    static func isLocal(host: String) -> Bool {
        if host.hasPrefix("/") || host.hasPrefix("@") { return true }
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// The system's bundle, unless libpq was told of certificates in its own ways.
    ///
    /// - Parameters:
    ///   - environment: of this process.
    ///   - exists: whether there is a file.
    static func bundle(environment: [String: String], exists: (String) -> Bool) -> String? {
        guard environment["PGSSLROOTCERT", default: ""].isEmpty,
            !exists(environment["HOME", default: ""] + "/.postgresql/root.crt")
        else { return nil }
        return systemBundles.first(where: exists)
    }
}
