import BelfryServices
import Foundation
import Testing

@testable import BelfryCommand

@Suite("The settings of the server")
struct ServeConfigurationTests {
    /// A value for each key of the file, different from its default.
    private static let values = [
        "host": "192.0.2.7", "port": "8123", "data": "elsewhere", "adminKey": String(repeating: "a", count: 32),
        "secretKey": String(repeating: "s", count: 32), "allowPrivateEndpoints": "true", "rateLimit": "60",
        "appBudget": "100", "trustedProxies": "[10.0.0.0/8, '::1']", "bodyMemory": "64", "connectionsPerAddress": "7",
        "tlsCertificate": "cert.pem", "tlsKey": "key.pem", "webPushHosts": "[push.example.com]",
        "database": "postgres://belfry@db.example.com/engagement", "databaseConnections": "23",
        "databaseFolder": "/srv/postgresql", "distributed": "true", "copyRows": "true", "role": "[worker]",
        "diskFloor": "2GB", "console": "false", "publicURL": "https://Belfry.example.com/",
        "oidcIssuer": "https://id.example.com/realm", "oidcClientID": "belfry", "oidcClientSecret": "whisper",
        "oidcName": "Example", "otlpEndpoint": "http://127.0.0.1:4318", "otlpShare": "12.5%",
    ]

    /// Whether a configuration has the value of ``values`` for this key; nil for an unknown key.
    private static func isSet(_ key: String, in configuration: ServeConfiguration) -> Bool? {
        switch key {
        case "host": configuration.host == values[key]
        case "port": configuration.port == 8_123
        case "data": configuration.data == values[key]
        case "adminKey": configuration.adminKey == values[key]
        case "secretKey": configuration.secretKey == values[key]
        case "allowPrivateEndpoints": configuration.endpoints == .anywhere
        case "rateLimit":
            configuration.rates?.device == RequestRates(perDevice: 60, limitsLoopback: true, app: nil).device
        case "appBudget": configuration.rates?.app == AppBudget(mebibytesPerMinute: 100)
        case "trustedProxies": configuration.trustedProxies == TrustedProxies("10.0.0.0/8,::1")
        case "bodyMemory": configuration.connections.bodyMemory == 64 * 1_048_576
        case "connectionsPerAddress": configuration.connections.connectionsPerAddress == 7
        case "tlsCertificate": configuration.certificate?.certificate == values[key]
        case "tlsKey": configuration.certificate?.key == values[key]
        case "webPushHosts": configuration.webPushHosts == WebPushHosts("push.example.com")
        case "database": configuration.database.map { "\($0)" } == "engagement on db.example.com"
        case "databaseConnections": configuration.databaseConnections == 23
        case "databaseFolder": configuration.databaseFolder == values[key]
        case "distributed": configuration.isDistributed
        case "copyRows": configuration.copiesRows
        case "role": configuration.roles.contains(.worker) && !configuration.roles.contains(.api)
        case "diskFloor": configuration.diskFloor == .bytes(2_000_000_000)
        case "console": !configuration.hasConsole
        case "publicURL": configuration.publicURL == "https://belfry.example.com"
        case "oidcIssuer": configuration.signInProvider?.issuer == values[key]
        case "oidcClientID": configuration.signInProvider?.clientID == "belfry"
        case "oidcClientSecret": configuration.signInProvider?.clientSecret == "whisper"
        case "oidcName": configuration.signInProvider?.name == "Example"
        case "otlpEndpoint": configuration.traceCollector?.origin == values[key]
        case "otlpShare": configuration.traceShare == TraceShare("12.5%")
        default: nil
        }
    }

    /// Keys that are only valid together.
    private static let companions = [
        "tlsCertificate": ["tlsKey"], "tlsKey": ["tlsCertificate"], "database": ["secretKey"],
        "databaseFolder": ["database", "secretKey"], "distributed": ["database", "secretKey"],
        "copyRows": ["distributed", "database", "secretKey"], "role": ["database", "secretKey"],
        "oidcIssuer": ["oidcClientID", "publicURL"], "oidcClientID": ["oidcIssuer", "publicURL"],
        "oidcClientSecret": ["oidcIssuer", "oidcClientID", "publicURL"],
        "oidcName": ["oidcIssuer", "oidcClientID", "publicURL"],
    ]

    private static func read(
        _ yaml: String?, flags: ServeConfiguration.Flags = .init(), environment: [String: String] = [:]
    ) async throws -> ServeConfiguration {
        guard let yaml else {
            return try await ServeConfiguration.read(flags: flags, environment: environment, file: nil)
        }
        let file = FileManager.default.temporaryDirectory.appending(path: "belfry-\(UUID().uuidString).yaml")
        try Data(yaml.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try await ServeConfiguration.read(flags: flags, environment: environment, file: file.path)
    }

    private static func text(of keys: [String]) -> String {
        keys.map { "\($0): \(values[$0] ?? "")\n" }.joined()
    }

    @Test("CLI-2: each setting of the file takes effect, and only that one", arguments: SettingsFile.keys)
    func eachSetting(key: String) async throws {
        let companions = Self.companions[key] ?? []
        let standard = try await Self.read(nil)
        let isDefault = try #require(Self.isSet(key, in: standard) as Bool?, "a setting without a test")
        #expect(!isDefault, "the value is the default, so this test proves nothing")
        let changed = try await Self.read(Self.text(of: [key] + companions))
        #expect(Self.isSet(key, in: changed) == true)
        for other in SettingsFile.keys where other != key && !companions.contains(other) {
            #expect(Self.isSet(other, in: changed) == false, "'\(other)' changed as well")
        }
    }

    @Test("CON-3: a provider of sign-ins needs its issuer, its client id and the public address, each by its grammar")
    func provider() async throws {
        let tries = [
            ("oidcIssuer: https://id.example.com\noidcClientID: a\n", "publicURL"),
            ("oidcIssuer: https://id.example.com\npublicURL: https://b.example\n", "oidcClientID"),
            ("oidcClientSecret: whisper\n", "oidcIssuer"),
            ("oidcIssuer: http://id.example.com\noidcClientID: a\npublicURL: https://b.example\n", "https://"),
            ("oidcIssuer: https://id.example.com/?a=b\noidcClientID: a\npublicURL: https://b.example\n", "a query"),
        ]
        for (yaml, words) in tries {
            let error = await #expect(throws: (any Error).self) { try await Self.read(yaml) }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains(words) && !text.contains("whisper"), "\(text)")
        }
        let loopback = "oidcIssuer: http://127.0.0.1:9/\noidcClientID: a\npublicURL: http://127.0.0.1:8080\n"
        let provider = try #require(try await Self.read(loopback).signInProvider)
        #expect(provider.name == "127.0.0.1" && provider.issuer == "http://127.0.0.1:9/")
        #expect(provider.returnAddress == "http://127.0.0.1:8080/console/sign-in/provider/return")
    }

    @Test("CLI-2: all settings may be in one file; an empty file changes nothing")
    func allSettings() async throws {
        let all = try await Self.read(Self.text(of: SettingsFile.keys))
        for key in SettingsFile.keys { #expect(Self.isSet(key, in: all) == true, "\(key)") }
        for empty in ["", "# nothing\n"] {
            let configuration = try await Self.read(empty)
            for key in SettingsFile.keys { #expect(Self.isSet(key, in: configuration) == false, "\(key)") }
        }
    }

    @Test("CLI-2: a flag wins over the environment, the environment over the file")
    func order() async throws {
        let environment = ["BELFRY_PORT": "2", "BELFRY_ADMIN_KEY": String(repeating: "e", count: 32)]
        let yaml = Self.text(of: ["port", "adminKey", "data"])
        let flags = ServeConfiguration.Flags(port: 3)
        let all = try await Self.read(yaml, flags: flags, environment: environment)
        #expect(all.port == 3 && all.adminKey == environment["BELFRY_ADMIN_KEY"] && all.data == "elsewhere")
        let withoutFlags = try await Self.read(yaml, environment: environment)
        #expect(withoutFlags.port == 2)
        #expect(try await Self.read(yaml).port == 8_123)
        #expect(try await Self.read(nil).adminKey == nil)
    }

    @Test(
        "CLI-2, SEC-3: a bad value in the file is refused by a sentence with the file's line and the key, not a secret",
        arguments: [
            ("port: http\n", 1, "port"), ("data: d\nport: 70000\n", 2, "port"),
            ("\n# a note\nrateLimit: fast\n", 3, "rateLimit"), ("appBudget: 0\n", 1, "appBudget"),
            ("allowPrivateEndpoints: perhaps\n", 1, "allowPrivateEndpoints"),
            ("data: d\ntrustedProxies:\n  - 10.0.0.0/8\n  - proxy\n", 2, "trustedProxies"),
            ("trustedProxies: [[10.0.0.0/8]]\n", 1, "trustedProxies"),
            ("webPushHosts: ['https://x']\n", 1, "webPushHosts"), ("bodyMemory: 15\n", 1, "bodyMemory"),
            ("connectionsPerAddress: 0\n", 1, "connectionsPerAddress"), ("diskFloor: some\n", 1, "diskFloor"),
            ("console: perhaps\n", 1, "console"), ("publicURL: belfry.example.com\n", 1, "publicURL"),
            ("publicURL: 'https://belfry.example.com/path'\n", 1, "publicURL"),
            ("databaseConnections: many\n", 1, "databaseConnections"), ("port: 1\nrole: boss\n", 2, "role"),
            ("port: 1\ndatabaseFolder: /srv/postgresql\n", 2, "databaseFolder"), ("role: 'api,'\n", 1, "role"),
            ("port: 1\ndistributed: true\n", 2, "distributed"), ("distributed: perhaps\n", 1, "distributed"),
            ("port: 1\ncopyRows: true\n", 2, "copyRows"), ("role: []\n", 1, "role"),
            ("port: 1\nrole: worker\n", 2, "role"),
            ("host: h\nadminKey: whisper\n", 2, "adminKey"), ("secretKey: whisper\n", 1, "secretKey"),
            ("port: 1\ndatabase: 'mysql://u:whisper@h/n'\n", 2, "database"),
            ("port: 1\notlpShare: 0%\n", 2, "otlpShare"), ("otlpShare: 10\n", 1, "otlpShare"),
            ("port: 1\ntlsKey: key.pem\n", 2, "tlsKey"), ("port: 1\nprot: 2\n", 2, "prot"),
            ("port: 1\nhost: [a]\n", 2, "host"), ("port: 1\nadminKey:\n  whisper: x\n", 2, "adminKey"),
        ]
    )
    func rejected(yaml: String, line: Int, key: String) async throws {
        let error = await #expect(throws: SettingsFileError.self) { try await Self.read(yaml) }
        let text = try #require(error).description
        #expect(text.hasPrefix("Line \(line) of the file "), "\(text)")
        #expect(text.contains(key), "\(text)")
        #expect(!text.contains("whisper"), "\(text)")
    }

    @Test("FLEET-1, CLI-2: a process has both roles, or on a shared database one of them; other words are refused")
    func roles() async throws {
        let shared = ServerDatabase.environment("postgres://belfry@db.example.com/engagement")
        for text in ["api,worker", "worker, api", "api,worker,api"] {
            #expect(try await Self.read(nil, environment: ["BELFRY_ROLE": text]).roles == .both)
        }
        let api = try await Self.read(nil, flags: .init(role: "api"), environment: shared).roles
        #expect(api.contains(.api) && !api.contains(.worker))
        let listed = try await Self.read("role: [api, worker]\n", environment: shared)
        #expect(listed.roles == .both)
        #expect(try await Self.read(nil).roles == .both)
        for text in ["", "API", "api worker", "api,,worker", "none"] {
            let error = await #expect(throws: ServeConfigurationError.self) {
                try await Self.read(nil, flags: .init(role: text), environment: shared)
            }
            #expect(error?.description.contains(ServerRoles.form) == true)
        }
        for role in ["api", "worker"] {
            let error = await #expect(throws: ServeConfigurationError.self) {
                try await Self.read(nil, flags: .init(role: role))
            }
            #expect(error?.description.contains("'\(role)' alone needs a PostgreSQL database") == true)
        }
    }

    @Test("FLEET-1: a worker keeps its own registrations to itself; campaigns are told to all workers")
    func telling() throws {
        let (api, worker) = (try #require(ServerRoles("api")), try #require(ServerRoles("worker")))
        #expect(api.tellsOthers(of: .registrations) && !worker.tellsOthers(of: .registrations))
        #expect(!ServerRoles.both.tellsOthers(of: .registrations))
        for roles in [api, worker, .both] { #expect(roles.tellsOthers(of: .campaigns)) }
    }

    @Test("CLI-2: the file is not blamed for a value of the environment or of a flag")
    func blame() async throws {
        let yaml = Self.text(of: ["port", "adminKey"])
        let ofEnvironment = await #expect(throws: ServeConfigurationError.self) {
            try await Self.read(yaml, environment: ["BELFRY_ADMIN_KEY": "short"])
        }
        #expect(ofEnvironment?.key == "adminKey")
        let ofFlag = await #expect(throws: ServeConfigurationError.self) {
            try await Self.read(yaml, flags: .init(port: 70_000))
        }
        #expect(ofFlag?.key == "port")
    }
}
