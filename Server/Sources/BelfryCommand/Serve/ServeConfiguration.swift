import BelfryServices
import Configuration
import Foundation
import NIOCore
import SystemPackage

/// Everything that `belfry serve` can be told, from one rule: a flag wins over the environment, the environment over
/// the YAML file, the file over the default.
struct ServeConfiguration: Sendable {
    var host: String
    var port: Int
    var data: String
    /// At least 32 characters; nil: from the data directory.
    var adminKey: String?
    /// At least 32 characters; nil: from the data directory.
    var secretKey: String?
    var allowsPrivateEndpoints: Bool

    /// What the flags said; nil for a flag that was not given.
    struct Flags: Sendable {
        var host: String?
        var port: Int?
        var data: String?
        var allowsPrivateEndpoints: Bool?
    }

    /// - Parameter file: a YAML file with the keys `host`, `port`, `data`, `adminKey`, `secretKey`,
    ///   `allowPrivateEndpoints`. In the environment they are `BELFRY_HOST`, `BELFRY_ADMIN_KEY` and so on.
    static func read(flags: Flags, file: String?) async throws -> ServeConfiguration {
        var providers: [any ConfigProvider] = [
            flags.provider, EnvironmentVariablesProvider().prefixKeys(with: "belfry"),
        ]
        if let file {
            providers.append(try await FileProvider<YAMLSnapshot>(filePath: FilePath(file)))
        }
        let reader = ConfigReader(providers: providers)
        let host = reader.string(forKey: "host", default: "127.0.0.1")
        let configuration = ServeConfiguration(
            host: host,
            port: try reader.parsed("port") { Int($0) } ?? 8080,
            data: reader.string(forKey: "data", default: "data"),
            adminKey: reader.string(forKey: "adminKey", isSecret: true),
            secretKey: reader.string(forKey: "secretKey", isSecret: true),
            // A server that only this machine reaches may be pointed at this machine (SEC-5).
            allowsPrivateEndpoints: try reader.parsed("allowPrivateEndpoints") { Bool($0.lowercased()) }
                ?? ["127.0.0.1", "::1", "localhost"].contains(host)
        )
        try configuration.check()
        return configuration
    }

    private func check() throws {
        guard (0...65_535).contains(port) else { throw ServeConfigurationError.port(port) }
        if let adminKey, adminKey.count < AdminAccess.minimumKeyLength {
            throw ServeConfigurationError.tooShort("BELFRY_ADMIN_KEY", minimum: AdminAccess.minimumKeyLength)
        }
        if let secretKey, secretKey.utf8.count < ServerKeys.minimumSecretLength {
            throw ServeConfigurationError.tooShort("BELFRY_SECRET_KEY", minimum: ServerKeys.minimumSecretLength)
        }
    }
}

extension ConfigReader {
    /// The value of a key, nil when nobody gave it. One that cannot be read is an error, not the default.
    fileprivate func parsed<Value>(_ key: ConfigKey, _ parse: (String) -> Value?) throws -> Value? {
        guard let text = string(forKey: key) else { return nil }
        guard let value = parse(text) else {
            throw ServeConfigurationError.unreadable(key: "\(key)", text: String(text.prefix(64)))
        }
        return value
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
        return InMemoryProvider(name: "flags", values: values)
    }
}

enum ServeConfigurationError: Error, CustomStringConvertible {
    case port(Int)
    case unreadable(key: String, text: String)
    case tooShort(String, minimum: Int)
    case portTaken(host: String, port: Int)
    case notListening(host: String, port: Int, reason: String)

    /// Says what a failed `bind` means; any other error stays as it is.
    static func listening(on host: String, port: Int, failed error: any Error) -> any Error {
        guard let error = error as? IOError else { return error }
        if error.errnoCode == EADDRINUSE { return ServeConfigurationError.portTaken(host: host, port: port) }
        return ServeConfigurationError.notListening(host: host, port: port, reason: "\(error)")
    }

    var description: String {
        switch self {
        case .port(let port): "The port \(port) does not exist: choose 1 to 65535, or 0 for any free one."
        case .unreadable(let key, let text):
            "The setting '\(key)' cannot be '\(text)': 'port' is a number, 'allowPrivateEndpoints' is true or false."
        case .tooShort(let name, let minimum): "\(name) must have at least \(minimum) characters."
        case .portTaken(let host, let port):
            "The port \(port) of \(host) is taken: stop who has it, or choose another by --port."
        case .notListening(let host, let port, let reason): "The server cannot listen on \(host):\(port): \(reason)."
        }
    }
}
