import Foundation

/// How a server proves that it is the one that the address names (SEC-11). libpq's own default, `sslmode=prefer`,
/// accepts any server, and continues without TLS if the server refuses it.
enum ServerVerification {
    /// Where Debian, Fedora, Alpine and macOS keep the certificates that the system trusts.
    static let systemBundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem",
    ]

    /// Adds the settings that the address leaves open: a server that is not on this machine must show a certificate for
    /// its name, signed by an authority that the system trusts.
    ///
    /// - Parameters:
    ///   - bundle: the file of trusted certificates; nil: libpq's own default.
    ///   - environment: the environment of this process.
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

    /// Whether we require proof from the server though its address does not ask for it.
    static func isAdded(to settings: [String: String], environment: [String: String]) -> Bool {
        settings["sslmode", default: ""].isEmpty && !isLocal(settings, environment)
    }

    /// Whether libpq will connect to this machine only. Settings that the address leaves open come from a service, then
    /// from the environment. libpq prefers `hostaddr` to `host`.
    ///
    /// Without any of these it uses a socket of this machine, over which it never uses TLS, whatever the mode.
    private static func isLocal(_ settings: [String: String], _ environment: [String: String]) -> Bool {
        func given(_ keyword: String) -> String? { settings[keyword].flatMap { $0.isEmpty ? nil : $0 } }
        if let address = given("hostaddr") { return areLocal(address) }
        // The service file may name any server, and only libpq reads it.
        guard given("service") == nil, environment["PGSERVICE"] == nil else { return false }
        if let address = environment["PGHOSTADDR"], !address.isEmpty { return areLocal(address) }
        return areLocal(given("host") ?? environment["PGHOST"] ?? "")
    }

    /// Whether all hosts of a list are on this machine.
    private static func areLocal(_ hosts: String) -> Bool {
        hosts.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy {
            isLocal(host: String($0) ?? "")
        }
    }

    /// Whether a host is a socket's folder, an abstract socket name, or a loopback address.
    static func isLocal(host: String) -> Bool {
        if host.utf8.starts(with: "/".utf8) || host.utf8.starts(with: "@".utf8) { return true }
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let parts = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0].elementsEqual("127".utf8)
            && parts.allSatisfy { (1...3).contains($0.count) && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }

    /// The system's bundle, unless libpq's own settings already name certificates.
    ///
    /// - Parameters:
    ///   - environment: the environment of this process.
    ///   - exists: whether a file exists at a path.
    static func bundle(environment: [String: String], exists: (String) -> Bool) -> String? {
        guard environment["PGSSLROOTCERT", default: ""].isEmpty,
            !exists(environment["HOME", default: ""] + "/.postgresql/root.crt")
        else { return nil }
        return systemBundles.first(where: exists)
    }
}
