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
    /// - Parameter bundle: the file of trusted certificates; nil: where libpq looks by itself.
    static func completed(_ settings: [String: String], bundle: String?) -> [String: String] {
        var settings = settings
        if isAdded(to: settings) { settings["sslmode"] = "verify-full" }
        if settings["sslmode"] == "verify-full", settings["sslrootcert", default: ""].isEmpty, let bundle {
            settings["sslrootcert"] = bundle
        }
        return settings
    }

    /// Whether the server has to prove itself though its address does not say so.
    static func isAdded(to settings: [String: String]) -> Bool {
        settings["sslmode", default: ""].isEmpty && !isLocal(settings)
    }

    /// Whether the address names nobody but this machine. Without a host libpq looks into its environment: it may be a
    /// server elsewhere, and over a socket of this machine it asks for no TLS whatever the mode is.
    private static func isLocal(_ settings: [String: String]) -> Bool {
        let named = settings["hostaddr"] ?? settings["host"] ?? ""
        return named.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).allSatisfy {
            isLocal(host: String($0) ?? "")
        }
    }

    /// A socket's folder or abstract name, or an address of the loopback interface.
    private static func isLocal(host: String) -> Bool {
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
