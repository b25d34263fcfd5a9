import BelfryServerTestSupport
import Foundation
import Testing

@Suite("The server cannot connect to its database")
struct BadDatabaseTests {
    private static let password = "open-barley"

    enum Cause: CaseIterable, CustomTestStringConvertible {
        case noSecretKey
        case otherScheme
        case unreadable
        case nobodyListens
        case unknownHost
        case unknownUser
        case unknownDatabase

        var testDescription: String {
            switch self {
            case .noSecretKey: "there is no BELFRY_SECRET_KEY"
            case .otherScheme: "the address is of another database"
            case .unreadable: "the address cannot be read"
            case .nobodyListens: "nobody listens there"
            case .unknownHost: "there is no such host"
            case .unknownUser: "there is no such user"
            case .unknownDatabase: "there is no such database"
            }
        }
    }

    @Test(
        "STO-2, SEC-3, CLI-2: a database that cannot be used ends the start with a sentence, without the password",
        .timeLimit(.minutes(10)), arguments: Cause.allCases
    )
    func endsWithASentence(_ cause: Cause) async throws {
        let server = try #require(URLComponents(string: try TestPostgres.text(schema: "none")))
        let place = "\(server.host ?? ""):\(server.port ?? 0)"
        let user = "belfry:\(Self.password)"
        switch cause {
        case .noSecretKey:
            try await expectEnd("postgres://\(user)@\(place)/postgres", secretKey: nil, naming: ["BELFRY_SECRET_KEY"])
        case .otherScheme:
            try await expectEnd("mysql://\(user)@\(place)/postgres", naming: ["postgres://"])
        case .unreadable:
            try await expectEnd("postgres://\(user)@[::1/postgres", naming: ["cannot be read", "postgres://user:"])
        case .nobodyListens:
            try await expectEnd("postgres://\(user)@127.0.0.1:9/shop", naming: ["shop on 127.0.0.1", "refused"])
        case .unknownHost:
            try await expectEnd("postgres://\(user)@nowhere.invalid/shop", naming: ["shop on nowhere.invalid"])
        case .unknownUser:
            let address = "postgres://nobody-\(UUID().uuidString):\(Self.password)@\(place)/postgres"
            try await expectEnd(address, naming: ["nobody-", "role"])
        case .unknownDatabase:
            try await expectEnd("postgres://\(user)@\(place)/nothing", naming: ["nothing", "does not exist"])
        }
    }

    private func expectEnd(
        _ address: String, secretKey: String? = ServerDatabase.secretKey, naming words: [String]
    ) async throws {
        var environment = ["BELFRY_DATABASE": address]
        environment["BELFRY_SECRET_KEY"] = secretKey
        try await withStage { [environment] stage in
            let run = try stage.startServer(environment: environment)
            let address = await run.address
            run.send(SIGKILL)
            let exit = await run.exit
            let text = run.standardError
            #expect(address == nil, "it must not start")
            #expect(exit == .code(1), "\(text)")
            for word in words { #expect(text.contains(word), "does not say '\(word)': \(text)") }
            for trace in ["Fatal error", "Stack dump", "Error Domain=", "PostgresOpeningError", "Optional("] {
                #expect(!text.contains(trace), "not a sentence for people: \(text)")
            }
            #expect(!text.contains(Self.password), "a password is never shown: \(text)")
        }
    }
}
