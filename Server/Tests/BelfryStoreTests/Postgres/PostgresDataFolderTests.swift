@testable import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// SEC-9: what a server on this machine says of the disk that it is on.
struct PostgresDataFolderTests {
    private static func settings(_ address: String) throws -> PostgresSettings {
        PostgresSettings(
            address: try PostgresAddress(address), questions: .standard, now: { Date(timeIntervalSince1970: 0) },
            jitter: { 0.5 }
        )
    }

    private static func ask(_ address: String) throws -> PostgresDataFolder? {
        try PostgresInspection.read(try settings(address)) { try PostgresDataFolder($0) }
    }

    @Test(
        "SEC-9: a server counts as this machine's only if both ends of the connection are this machine's",
        arguments: [
            ("/var/run/postgresql", true, true), ("@postgres", true, true), ("127.0.0.1", true, true),
            ("::1", true, true),
            // A proxy, a tunnel or a container's port, behind which is another machine's address.
            ("127.0.0.1", false, false), ("::1", false, false),
            // Another machine, on which a pooler goes to the server by a socket.
            ("192.0.2.7", true, false), ("2001:db8::1", true, false), ("192.0.2.7", false, false), ("", true, false),
        ])
    func ends(peer: String, isTakenHere: Bool, isHere: Bool) {
        func found(_ folder: String?) -> PostgresDataFolder {
            PostgresDataFolder(peer: peer, isTakenHere: isTakenHere, folder: folder)
        }
        #expect(found("/pg/main") == (isHere ? .here("/pg/main") : .elsewhere))
        #expect(found(nil) == (isHere ? .undisclosed : .elsewhere))
    }

    @Test("SEC-9: a server says its folder to whom it lets know it, and of several servers none is asked")
    func asked() throws {
        let schema = "folder-\(UUID().uuidString)"
        let address = try TestPostgres.text(schema: schema)
        let own = try PostgresInspection.read(try Self.settings(address)) { connection in
            try connection.first("SELECT current_setting('data_directory')", []) { $0.text(0) }
        }
        let folder = try #require(own)
        #expect(try Self.ask(address) == .here(folder))

        let user = "folder_\(UInt64.random(in: 0 ... .max))"
        let theirs = address.replacing("belfry@", with: "\(user)@")
        try #require(theirs != address, "the user of the tests' server is belfry")
        func run(_ sql: String) throws {
            try PostgresScript.run(SQLText(ofTest: sql), at: try PostgresAddress(address))
        }
        try run("CREATE ROLE \(user) LOGIN")
        defer { try? run("DROP ROLE \(user)") }
        #expect(try Self.ask(theirs) == .undisclosed)
        try run("GRANT pg_read_all_settings TO \(user)")
        #expect(try Self.ask(theirs) == .here(folder))

        let port = try #require(URL(string: address)?.port)
        let place = "@127.0.0.1:\(port)"
        let several = address.replacing(place, with: "\(place),127.0.0.1:\(port)")
        try #require(several != address, "the tests' server is reached by 127.0.0.1")
        #expect(try Self.ask(several) == .elsewhere)
    }

    @Test("SEC-9: who enters a database asks its server, and only if it is to")
    func entering() throws {
        let schema = try TestPostgres.takeSchema()
        defer { TestPostgres.giveBack(schema) }
        let address = try TestPostgres.text(schema: schema)
        for isAsked in [false, true] {
            let settings = try Self.settings(address)
            let database = try PostgresDatabase(settings, asksForFolder: isAsked)
            defer { database.close() }
            let expected = isAsked ? try Self.ask(address) : nil
            #expect(database.folder == expected)
        }
    }
}
