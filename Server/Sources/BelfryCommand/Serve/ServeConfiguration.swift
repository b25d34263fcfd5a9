import BelfryAPI
import BelfryModel
import BelfryPostgres
import BelfryServices
import Configuration
import Foundation
import NIOCore
import SystemPackage

/// All settings of `belfry serve`, with one rule of precedence: a flag wins over the environment, the environment over
/// the YAML file, and the file over the default.
struct ServeConfiguration: Sendable {
    var host: String
    var port: Int
    var data: String
    /// The admin key, at least 32 characters; nil: the one in the data directory.
    var adminKey: String?
    /// The server's secret, at least 32 characters; nil: the one in the data directory.
    var secretKey: String?
    /// Which push service endpoints are allowed (SEC-5).
    var endpoints: EndpointPolicy
    /// How often devices, addresses and keys may call (SEC-2); nil: without limit.
    var rates: RequestRates?
    /// The proxies whose `X-Forwarded-For` header is trusted.
    var trustedProxies: TrustedProxies
    /// How much memory all connections may use together, and how many connections one address may have (SEC-9, SEC-12).
    var connections = ConnectionRules.Settings()
    /// The allowed hosts of browser push services (SEC-5).
    var webPushHosts = WebPushHosts.any
    /// The certificate for TLS (SEC-1); nil: HTTP without TLS.
    var certificate: ServerCertificateFiles?
    /// The database that several processes may share (STO-2); nil: SQLite in the data directory.
    var database: PostgresAddress?
    /// The maximum number of this process's connections to the database.
    var databaseConnections = PostgresSettings.standardConnections
    /// A folder on the database's disk, if that is a disk of this machine (SEC-9); nil: the database server is asked.
    var databaseFolder: String?
    /// Whether the database becomes one that several servers hold together, unless it is (FLEET-5).
    var isDistributed = false
    /// Whether rows that are there then go along; else a database that has some is refused.
    var copiesRows = false
    /// The roles of this process (FLEET-1).
    var roles = ServerRoles.both
    /// How much of the store's file system stays free (SEC-9).
    var diskFloor = DiskFloor.standard
    /// Whether push services that the machine trusts are trusted, in addition to those of an app's own trust roots.
    var trustsSystemToo = false
    /// Whether the console is served (CON-1).
    var hasConsole = true
    /// The origin under which browsers reach the server, if it differs from the `Host` that they send (CON-3).
    var publicURL: String?
    /// The identity provider by which people sign in to the console (CON-3); nil: by password alone.
    var signInProvider: SignInProvider?
    /// The collector that receives the traces of ledger rows (FLEET-11); nil: no traces are made.
    var traceCollector: PublicURL?
    /// The share of the ledger rows that are traced.
    var traceShare = TraceShare.all

    /// The values of the flags; nil for a flag that was not given.
    struct Flags: Sendable {
        var host: String?
        var port: Int?
        var data: String?
        var allowsPrivateEndpoints: Bool?
        var rateLimit: String?
        var appBudget: String?
        var trustedProxies: String?
        var bodyMemory: String?
        var connectionsPerAddress: String?
        var webPushHosts: String?
        var tlsCertificate: String?
        var tlsKey: String?
        var database: String?
        var databaseConnections: Int?
        var databaseFolder: String?
        var isDistributed: Bool?
        var copiesRows: Bool?
        var role: String?
        var diskFloor: String?
        var hasConsole: Bool?
        var publicURL: String?
        var oidcIssuer: String?
        var oidcClientID: String?
        var oidcName: String?
        var otlpEndpoint: String?
        var otlpShare: String?
    }

    /// - Parameters:
    ///   - environment: the settings are `BELFRY_HOST`, `BELFRY_ADMIN_KEY` and so on.
    ///   - file: a YAML file with the keys of ``SettingsFile``.
    static func read(flags: Flags, environment: [String: String], file: String?) async throws -> ServeConfiguration {
        let closer: [any ConfigProvider] = [
            flags.provider,
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "belfry"),
        ]
        guard let file, let settings = try SettingsFile(file) else {
            return try read(ConfigReader(providers: closer))
        }
        let provider = try await FileProvider<YAMLSnapshot>(filePath: FilePath(file))
        do {
            return try read(ConfigReader(providers: closer + [provider as any ConfigProvider]))
        } catch let error as ServeConfigurationError {
            // A flag or a variable wins over the file, so the file is not the cause of the error.
            guard let key = error.key, ConfigReader(providers: closer).string(forKey: ConfigKey(key)) == nil,
                let fileError = settings.error(of: key, error)
            else { throw error }
            throw fileError
        }
    }

    private static func read(_ reader: ConfigReader) throws -> ServeConfiguration {
        let host = reader.string(forKey: "host", default: "127.0.0.1")
        let configuration = ServeConfiguration(
            host: host,
            port: try reader.parsed("port", as: "a number") { WholeNumber.read($0) } ?? 8080,
            data: reader.string(forKey: "data", default: "data"),
            adminKey: reader.string(forKey: "adminKey", isSecret: true),
            secretKey: reader.string(forKey: "secretKey", isSecret: true),
            endpoints: try reader.endpoints(listeningOn: host),
            rates: try reader.rates(),
            trustedProxies: try reader.trustedProxies(),
            connections: try reader.connections(),
            webPushHosts: try reader.webPushHosts(),
            certificate: try reader.certificate(),
            database: try reader.database(),
            databaseConnections: try reader.databaseConnections(),
            databaseFolder: reader.string(forKey: "databaseFolder"),
            isDistributed: try reader.flag("distributed"),
            copiesRows: try reader.flag("copyRows"),
            roles: try reader.roles(),
            diskFloor: try reader.parsed("diskFloor", as: DiskFloor.form, DiskFloor.init) ?? .standard,
            hasConsole: try reader.parsed("console", as: "true or false", { Bool($0.lowercased()) }) ?? true,
            publicURL: try reader.publicURL(),
            signInProvider: try reader.signInProvider(),
            traceCollector: try reader.traceCollector(),
            traceShare: try reader.parsed("otlpShare", as: TraceShare.form, TraceShare.init) ?? .all
        )
        try configuration.check()
        return configuration
    }

    private func check() throws {
        guard (0...65_535).contains(port) else { throw ServeConfigurationError.port(port) }
        if let adminKey, adminKey.count < AdminAccess.minimumKeyLength {
            throw ServeConfigurationError.tooShort(
                key: "adminKey", variable: "BELFRY_ADMIN_KEY", minimum: AdminAccess.minimumKeyLength
            )
        }
        if let secretKey, secretKey.utf8.count < ServerKeys.minimumSecretLength {
            throw ServeConfigurationError.tooShort(
                key: "secretKey", variable: "BELFRY_SECRET_KEY", minimum: ServerKeys.minimumSecretLength
            )
        }
        // If each process had a key of its own, it would reject the other processes' devices.
        if database != nil, secretKey == nil { throw ServeConfigurationError.noSecretKey }
        if database == nil, databaseFolder != nil { throw ServeConfigurationError.folderWithoutDatabase }
        if database == nil, isDistributed { throw ServeConfigurationError.distributedWithoutDatabase }
        if copiesRows, !isDistributed { throw ServeConfigurationError.missing(key: "distributed", beside: "copyRows") }
        if database == nil, roles != .both { throw ServeConfigurationError.roleWithoutDatabase(roles) }
    }
}

extension ConfigReader {
    /// The value of a key; nil when it is not set. A value that cannot be read is an error, not the default.
    ///
    /// - Parameter kind: the required form in words, for the error.
    func parsed<Value>(_ key: ConfigKey, as kind: String, _ parse: (String) -> Value?) throws -> Value? {
        // In a YAML file, several values may be a list.
        guard let text = string(forKey: key) ?? stringArray(forKey: key)?.joined(separator: ",") else { return nil }
        guard let value = parse(text) else {
            throw ServeConfigurationError.unreadable(key: "\(key)", text: String(text.prefix(64)), kind: kind)
        }
        return value
    }

    /// A setting that is off by default.
    fileprivate func flag(_ key: ConfigKey) throws -> Bool {
        try parsed(key, as: "true or false") { Bool($0.lowercased()) } ?? false
    }

    fileprivate func endpoints(listeningOn host: String) throws -> EndpointPolicy {
        switch try parsed("allowPrivateEndpoints", as: "true or false", { Bool($0.lowercased()) }) {
        case true?: .anywhere
        case false?: .publicOnly
        case nil: .standard(listeningOn: host)
        }
    }

    func rates() throws -> RequestRates? {
        let kind = "'off', or the requests per minute and device, 1 to \(RequestRates.maximumPerDevice)"
        let app = try appBudget()
        guard let setting = try parsed("rateLimit", as: kind, RateLimitSetting.init) else {
            return RequestRates(perDevice: RequestRates.standardPerDevice, limitsLoopback: false, app: app)
        }
        return setting.rates(app: app)
    }

    private func appBudget() throws -> AppBudget? {
        let kind = "'off', or the MiB per minute that an app's devices may send, 1 to \(AppBudget.maximumMebibytes)"
        guard let setting = try parsed("appBudget", as: kind, AppBudgetSetting.init) else { return .standard }
        return setting.budget
    }

    fileprivate func certificate() throws -> ServerCertificateFiles? {
        switch (string(forKey: "tlsCertificate"), string(forKey: "tlsKey")) {
        case (let certificate?, let key?): ServerCertificateFiles(certificate: certificate, key: key)
        case (_?, nil): throw ServeConfigurationError.missing(key: "tlsKey", beside: "tlsCertificate")
        case (nil, _?): throw ServeConfigurationError.missing(key: "tlsCertificate", beside: "tlsKey")
        case (nil, nil): nil
        }
    }

    fileprivate func webPushHosts() throws -> WebPushHosts {
        let kind = "a list of host names, such as push.apple.com, separated by commas"
        return try parsed("webPushHosts", as: kind, WebPushHosts.init) ?? .any
    }

    fileprivate func database() throws -> PostgresAddress? {
        guard let text = string(forKey: "database", isSecret: true) else { return nil }
        do throws(PostgresAddressError) {
            return try PostgresAddress(text)
        } catch {
            throw ServeConfigurationError.database(error)
        }
    }

    fileprivate func databaseConnections() throws -> Int {
        let range = PostgresSettings.minimumConnections...PostgresSettings.maximumConnections
        let kind = "a number from \(range.lowerBound) to \(range.upperBound)"
        let count = try parsed("databaseConnections", as: kind) { text in
            WholeNumber.read(text, as: Int.self).flatMap { range.contains($0) ? $0 : nil }
        }
        return count ?? PostgresSettings.standardConnections
    }

    fileprivate func traceCollector() throws -> PublicURL? {
        let kind = "the address of an OpenTelemetry collector, such as http://127.0.0.1:4318, without a path"
        return try parsed("otlpEndpoint", as: kind, PublicURL.init)
    }

    fileprivate func trustedProxies() throws -> TrustedProxies {
        let kind = "a list of addresses or CIDR blocks, such as 10.0.0.0/8, separated by commas"
        return try parsed("trustedProxies", as: kind, TrustedProxies.init) ?? .none
    }
}

extension ServeConfiguration.Flags {
    fileprivate var provider: InMemoryProvider {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        if let host { values["host"] = .init(.string(host), isSecret: false) }
        if let port { values["port"] = .init(.string(String(port)), isSecret: false) }
        if let data { values["data"] = .init(.string(data), isSecret: false) }
        if let allowsPrivateEndpoints {
            values["allowPrivateEndpoints"] = .init(.string(String(allowsPrivateEndpoints)), isSecret: false)
        }
        if let rateLimit { values["rateLimit"] = .init(.string(rateLimit), isSecret: false) }
        if let appBudget { values["appBudget"] = .init(.string(appBudget), isSecret: false) }
        if let trustedProxies { values["trustedProxies"] = .init(.string(trustedProxies), isSecret: false) }
        if let bodyMemory { values["bodyMemory"] = .init(.string(bodyMemory), isSecret: false) }
        if let connectionsPerAddress {
            values["connectionsPerAddress"] = .init(.string(connectionsPerAddress), isSecret: false)
        }
        if let webPushHosts { values["webPushHosts"] = .init(.string(webPushHosts), isSecret: false) }
        if let tlsCertificate { values["tlsCertificate"] = .init(.string(tlsCertificate), isSecret: false) }
        if let tlsKey { values["tlsKey"] = .init(.string(tlsKey), isSecret: false) }
        if let database { values["database"] = .init(.string(database), isSecret: true) }
        if let databaseConnections {
            values["databaseConnections"] = .init(.string(String(databaseConnections)), isSecret: false)
        }
        if let databaseFolder { values["databaseFolder"] = .init(.string(databaseFolder), isSecret: false) }
        if let isDistributed { values["distributed"] = .init(.string(String(isDistributed)), isSecret: false) }
        if let copiesRows { values["copyRows"] = .init(.string(String(copiesRows)), isSecret: false) }
        if let role { values["role"] = .init(.string(role), isSecret: false) }
        if let diskFloor { values["diskFloor"] = .init(.string(diskFloor), isSecret: false) }
        if let hasConsole { values["console"] = .init(.string(String(hasConsole)), isSecret: false) }
        if let publicURL { values["publicURL"] = .init(.string(publicURL), isSecret: false) }
        if let oidcIssuer { values["oidcIssuer"] = .init(.string(oidcIssuer), isSecret: false) }
        if let oidcClientID { values["oidcClientID"] = .init(.string(oidcClientID), isSecret: false) }
        if let oidcName { values["oidcName"] = .init(.string(oidcName), isSecret: false) }
        if let otlpEndpoint { values["otlpEndpoint"] = .init(.string(otlpEndpoint), isSecret: false) }
        if let otlpShare { values["otlpShare"] = .init(.string(otlpShare), isSecret: false) }
        return InMemoryProvider(name: "flags", values: values)
    }
}

enum ServeConfigurationError: Error, CustomStringConvertible {
    case port(Int)
    case unreadable(key: String, text: String, kind: String)
    case tooShort(key: String, variable: String, minimum: Int)
    /// One of two settings that require each other is missing.
    case missing(key: String, beside: String)
    case database(PostgresAddressError)
    case noSecretKey
    /// A database folder is given for SQLite, whose files are in the data directory.
    case folderWithoutDatabase
    /// SQLite is to be distributed.
    case distributedWithoutDatabase
    /// - Parameter reason: a predicate whose subject is the folder.
    case noDatabaseFolder(String, reason: String)
    /// A role is given for SQLite, which belongs to one process, so no other process would do the rest.
    case roleWithoutDatabase(ServerRoles)
    case portTaken(host: String, port: Int)
    case notListening(host: String, port: Int, reason: String)

    /// The error of a failed `bind` in words; any other error is returned unchanged.
    static func listening(on host: String, port: Int, failed error: any Error) -> any Error {
        guard let error = error as? IOError else { return error }
        if error.errnoCode == EADDRINUSE { return ServeConfigurationError.portTaken(host: host, port: port) }
        return ServeConfigurationError.notListening(host: host, port: port, reason: "\(error)")
    }

    /// The key of the setting that cannot be used; nil if the cause is not the value of one setting.
    var key: String? {
        switch self {
        case .port: "port"
        case .unreadable(let key, _, _), .tooShort(let key, _, _): key
        case .missing(_, let other): other
        case .database: "database"
        case .folderWithoutDatabase, .noDatabaseFolder: "databaseFolder"
        case .distributedWithoutDatabase: "distributed"
        case .roleWithoutDatabase: "role"
        case .noSecretKey, .portTaken, .notListening: nil
        }
    }

    private static func reason(_ key: String) -> String {
        if key == "copyRows" { return "rows are copied when a database is distributed, at no other time" }
        return key.utf8.starts(with: "oidc".utf8)
            ? "people sign in by a provider that knows this server and its address" : "TLS requires both"
    }

    var description: String {
        switch self {
        case .port(let port): "There is no port \(port). Choose 1 to 65535, or 0 for any free port."
        case .unreadable(let key, let text, let kind): "The setting '\(key)' cannot be '\(text)'. It must be \(kind)."
        case .tooShort(let key, let variable, let minimum):
            "The setting '\(key)' (\(variable)) must have at least \(minimum) characters."
        case .missing(let key, let other): "The setting '\(other)' also needs '\(key)': \(Self.reason(other))."
        case .database(let error): "\(error)"
        case .noSecretKey:
            "A shared database requires BELFRY_SECRET_KEY, with the same value for all its servers."
        case .folderWithoutDatabase:
            "The setting 'databaseFolder' names the disk of a PostgreSQL database (--database). With SQLite it is the "
                + "disk of --data: leave 'databaseFolder' out."
        case .distributedWithoutDatabase:
            "The setting 'distributed' is for a PostgreSQL database on a Citus cluster (--database). SQLite is one file of "
                + "one process: leave 'distributed' out, or move the deployment first, by 'belfry migrate-store'."
        case .noDatabaseFolder(let folder, let reason):
            "The setting 'databaseFolder' cannot be '\(folder)': that \(reason). Name a folder of this machine that is "
                + "on the same disk as the files of the database."
        case .roleWithoutDatabase(let roles):
            "The role '\(roles)' alone needs a PostgreSQL database, which other processes share (--database). With "
                + "SQLite one process has both roles: leave 'role' out."
        case .portTaken(let host, let port):
            "Port \(port) on \(host) is already in use. Stop the program that uses it, or choose another with --port."
        case .notListening(let host, let port, let reason): "The server cannot listen on \(host):\(port): \(reason)."
        }
    }
}
