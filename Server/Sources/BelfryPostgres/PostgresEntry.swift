import CLibpq
import Foundation

/// How a connection is made: by libpq's settings, which we complete.
enum PostgresEntry {
    /// - Parameters:
    ///   - settings: what the address says.
    ///   - order: the servers that are asked; nil: all of them, as the address has them.
    /// - Throws: ``PostgresError`` when nobody answers, or the server does not let us in.
    static func open(_ settings: [String: String], asking order: [Int]?) throws -> OpaquePointer {
        let bundle = ServerVerification.bundle(environment: ProcessInfo.processInfo.environment) {
            FileManager.default.fileExists(atPath: $0)
        }
        // Whether servers have to prove themselves is decided by all of them, whichever are asked.
        let verified = completed(ServerVerification.completed(settings, bundle: bundle))
        let asked = order.map { PostgresHosts(verified).settings(asking: $0) } ?? verified
        let pairs = asked.sorted { $0.key < $1.key }
        let keywords = pairs.map { strdup($0.key) } + [nil]
        let values = pairs.map { strdup($0.value) } + [nil]
        defer { for text in keywords + values { free(text) } }
        let opened = keywords.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { keywords in
            values.map { UnsafePointer<CChar>($0) }.withUnsafeBufferPointer { values in
                PQconnectdbParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
        guard let opened else { throw PostgresError(code: "53200", message: "no memory for a connection") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let message = PostgresError.complaint(of: opened)
            PQfinish(opened)
            throw PostgresError(code: "08001", message: message, isLost: true)
        }
        return opened
    }

    /// What we ask of every connection, where the address does not say otherwise. A server that is gone is noticed
    /// within half a minute, even when the network swallows what is sent. Of several servers only the one that takes
    /// writes is of use.
    static func completed(_ settings: [String: String]) -> [String: String] {
        var ours = [
            "application_name": "belfry", "connect_timeout": "5", "keepalives_idle": "15", "keepalives_interval": "5",
            "keepalives_count": "3", "tcp_user_timeout": "30000",
        ]
        if PostgresHosts(settings).count > 1 { ours["target_session_attrs"] = "read-write" }
        return settings.merging(ours) { given, ours in given.isEmpty ? ours : given }
            .merging(["client_encoding": "UTF8"]) { $1 }
    }
}
