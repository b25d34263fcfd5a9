import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import BelfryWire
import Crypto
import Foundation
import Hummingbird
import Testing

extension TestServer {
    /// A request as any client may send it; a body is JSON unless the headers say otherwise.
    package func call(
        _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8]?, headers: [String: String] = [:]
    ) async throws -> APIResponse {
        var fields: HTTPFields = [:]
        if bytes != nil { fields[.contentType] = "application/json" }
        for (name, value) in headers {
            fields[try #require(HTTPFields.Element.Name(name))] = value.isEmpty ? nil : value
        }
        return try await client.send(method, path, headers: fields, body: bytes.map { ByteBuffer(bytes: $0) })
    }

    package func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, headers: [String: String] = [:]
    ) async throws -> APIResponse {
        try await call(method, path, bytes: body.map { Array($0.utf8) }, headers: headers)
    }

    /// A request to the admin API; `path` begins behind `/api/v1`.
    package func admin(
        _ method: HTTPRequest.Method, _ path: String, _ body: String? = nil, key: String = rootKey
    ) async throws -> APIResponse {
        try await call(method, "/api/v1\(path)", body, headers: ["Authorization": "Bearer \(key)"])
    }

    /// Makes an app and returns its key.
    @discardableResult
    package func makeApp(_ code: String = "shop") async throws -> String {
        let answer = try await admin(.post, "/apps", #"{"code":"\#(code)","name":"Shop"}"#)
        return try answer.json(CreateAppResponse.self).apiKey
    }

    /// Makes a key with these scopes only, also with several, which the API does not offer.
    package func makeKey(_ scopes: [String], app: String = "shop") async throws -> String {
        let key = "bk_test_\(UUID().uuidString)"
        let hash = Array(SHA256.hash(data: Data(key.utf8)))
        let code = try AppCode(app)
        let now = clock.now
        try await database.write { connection in
            guard let app = try connection.apps.find(code) else { return }
            try connection.adminKeys.insert(hash: hash, app: app.id, scopes: scopes, now: now)
        }
        return key
    }

    /// Changes an app's settings past the API, as another process does: what this one remembers of the app stays.
    package func changeSettings(_ app: String = "shop", _ change: @escaping @Sendable (inout AppSettings) -> Void)
        async throws
    {
        let code = try AppCode(app)
        try await database.write { connection in
            guard let app = try connection.apps.find(code) else { return }
            var settings = app.settings
            change(&settings)
            try connection.apps.save(settings: settings, of: app.id)
        }
    }

    package func device(_ id: String, app: String = "shop") async throws -> DeviceResponse {
        try await admin(.get, "/apps/\(app)/devices/\(id)").json(DeviceResponse.self)
    }

    /// Everything that the database holds, as text: equal before and after means that nothing changed.
    ///
    /// Most tests ask for it twice, so all tables are read by one statement.
    package func contents() async throws -> [String] {
        try await database.read { [engine = store.engine] connection in
            let tables = try engine.rows(in: connection).map { table, row in
                "SELECT '\(table): ' || \(row) FROM \(table) t"
            }
            return try connection.query(SQLText(ofTest: tables.joined(separator: " UNION ALL ")), []) { $0.text(0) }
                .sorted()
        }
    }
}

extension Engine {
    /// The tables, each with the expression that writes one of its rows as text.
    fileprivate func rows(in connection: any SQLConnection) throws -> [(table: String, row: String)] {
        let tables = try connection.tableNames(self)
        guard self == .sqlite else { return tables.map { (table: $0, row: "t::text") } }
        var columns: [String: [String]] = [:]
        _ = try connection.query(
            """
            SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'
            ORDER BY m.name, c.cid
            """, []
        ) { columns[$0.text(0), default: []].append($0.text(1)) }
        return tables.map { table in
            let parts = (columns[table] ?? []).map { "'\($0)=' || quote(\($0))" }
            return (table: table, row: parts.joined(separator: " || ' ' || "))
        }
    }
}

extension APIResponse {
    package func json<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try JSONDecoder().decode(type, from: Data(body.readableBytesView))
    }

    package var text: String { String(buffer: body) }

    package func header(_ name: String) -> String? {
        HTTPFields.Element.Name(name).flatMap { headers[$0] }
    }
}

/// Expects an error body with this status, code and target (WIRE-23).
package func expectError(
    _ answer: APIResponse, _ status: HTTPResponse.Status, _ code: String, target: String? = nil,
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    #expect(answer.status == status, comment, sourceLocation: sourceLocation)
    let error = try answer.json(ErrorBody.self).error
    #expect(error.code == code, comment, sourceLocation: sourceLocation)
    #expect(error.target == target, comment, sourceLocation: sourceLocation)
    #expect(!error.message.isEmpty, comment, sourceLocation: sourceLocation)
    #expect(answer.header("Content-Type") == "application/json", comment, sourceLocation: sourceLocation)
}
