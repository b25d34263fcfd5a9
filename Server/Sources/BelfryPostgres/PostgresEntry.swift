import CLibpq
import Foundation

/// Opens connections with libpq's settings, which it completes.
enum PostgresEntry {
    /// - Parameters:
    ///   - settings: the settings of the address.
    ///   - order: the servers to ask, by index; nil: all, in the order of the address.
    /// - Throws: ``PostgresError`` when no server responds, or the server refuses the login.
    static func open(_ settings: [String: String], asking order: [Int]?) throws -> OpaquePointer {
        let asked = Self.asked(settings, order)
        let opened: OpaquePointer? = withParameters(asked) { PQconnectdbParams($0, $1, 0) }
        guard let opened else { throw PostgresError(code: "53200", message: "no memory for a connection") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let message = PostgresError.complaint(of: opened)
            PQfinish(opened)
            throw PostgresError(code: "08001", message: message, isLost: true)
        }
        return opened
    }

    /// Whether a server responds to a new connection, even if it refuses it.
    static func answers(_ settings: [String: String], at server: PostgresWatch.Server) -> Bool {
        var asked = Self.asked(settings, [server.place])
        // The address is used directly: a name server may also be down, and the name may lead to a standby.
        if !server.address.isEmpty { asked["hostaddr"] = server.address }
        asked["target_session_attrs"] = "any"
        return withParameters(asked) { PQpingParams($0, $1, 0) } != PQPING_NO_RESPONSE
    }

    /// Whether we require proof from the server though its address does not ask for it.
    static func asksForProof(_ settings: [String: String]) -> Bool {
        ServerVerification.isAdded(to: settings, environment: ProcessInfo.processInfo.environment)
    }

    /// Whether servers must prove themselves depends on all servers of the address, not only on those asked.
    private static func asked(_ settings: [String: String], _ order: [Int]?) -> [String: String] {
        let environment = ProcessInfo.processInfo.environment
        let bundle = ServerVerification.bundle(environment: environment) { FileManager.default.fileExists(atPath: $0) }
        let verified = completed(
            ServerVerification.completed(settings, bundle: bundle, environment: environment)
        )
        return order.map { PostgresHosts(verified).settings(asking: $0) } ?? verified
    }

    /// Gives the body the settings in libpq's form: keywords and values, each list with a null at its end.
    private static func withParameters<Output>(
        _ settings: [String: String],
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<UnsafePointer<CChar>?>?) -> Output
    ) -> Output {
        let pairs = settings.sorted { $0.key < $1.key }
        let keywords = pairs.map { strdup($0.key) } + [nil]
        let values = pairs.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        return keywords.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { values in
                body(keywords.baseAddress, values.baseAddress)
            }
        }
    }

    /// Adds our defaults where the address does not set them. A lost server is noticed after some ten seconds, even if
    /// the network drops all packets. With several servers, only the primary is accepted.
    static func completed(_ settings: [String: String]) -> [String: String] {
        var ours = [
            "application_name": "belfry", "connect_timeout": "5", "keepalives_idle": "5", "keepalives_interval": "2",
            "keepalives_count": "3", "tcp_user_timeout": "10000",
        ]
        if PostgresHosts(settings).count > 1 { ours["target_session_attrs"] = "read-write" }
        return settings.merging(ours) { given, ours in given.isEmpty ? ours : given }
            .merging(["client_encoding": "UTF8"]) { $1 }
    }
}
