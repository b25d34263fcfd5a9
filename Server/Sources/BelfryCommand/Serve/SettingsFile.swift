import BelfryModel
import Foundation
import Yams

/// The YAML file of `belfry serve`. It is checked before its values are used: otherwise a mistyped setting would
/// silently have its default.
struct SettingsFile {
    /// Settings whose value may be a list.
    private static let lists: Set<String> = ["trustedProxies", "webPushHosts", "role"]
    static let keys = [
        "host", "port", "data", "adminKey", "secretKey", "allowPrivateEndpoints", "rateLimit", "appBudget",
        "trustedProxies", "bodyMemory", "connectionsPerAddress", "tlsCertificate", "tlsKey", "webPushHosts",
        "database", "databaseConnections", "databaseFolder", "distributed", "copyRows", "role", "diskFloor", "console",
        "publicURL", "oidcIssuer", "oidcClientID", "oidcClientSecret", "oidcName", "otlpEndpoint", "otlpShare",
    ]

    let path: String
    /// The line of each setting in the file.
    private let lines: [String: Int]

    /// Reads and checks the file. Returns nil when it contains no settings.
    init?(_ path: String) throws(SettingsFileError) {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .notReadable(path: path)
        }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw SettingsFileError(path: path, error)
        }
        guard let root else { return nil }
        guard let mapping = root.mapping else { throw .notSettings(path: path, line: nil) }
        var lines: [String: Int] = [:]
        for (key, value) in mapping {
            guard let name = key.string, Self.keys.contains(name) else {
                throw .unknownKey(path: path, line: key.mark?.line, key: String((key.string ?? "").prefix(64)))
            }
            let isList = Self.lists.contains(name)
            guard value.scalar != nil || (isList && value.sequence?.allSatisfy { $0.scalar != nil } == true) else {
                throw .notAValue(path: path, line: key.mark?.line, key: name, mayBeList: isList)
            }
            lines[name] = key.mark?.line
        }
        self.path = path
        self.lines = lines
    }

    /// The error with the line of the file, for a setting whose value comes from this file; nil if the file does not
    /// contain it.
    func error(of key: String, _ error: ServeConfigurationError) -> SettingsFileError? {
        lines[key].map { .badValue(path: path, line: $0, error) }
    }
}

enum SettingsFileError: Error, CustomStringConvertible {
    case notReadable(path: String)
    case notSettings(path: String, line: Int?)
    case unknownKey(path: String, line: Int?, key: String)
    case doubledKey(path: String, line: Int, key: String?)
    case notAValue(path: String, line: Int?, key: String, mayBeList: Bool)
    case badValue(path: String, line: Int, ServeConfigurationError)

    /// Shows only the position of a parser's error, and the key if it is a known one: the text around it may be a
    /// secret.
    init(path: String, _ error: any Error) {
        switch error {
        case YamlError.duplicatedKeysInMapping(let keys, let context):
            let key = keys.first { SettingsFile.keys.contains($0) }
            self = .doubledKey(path: path, line: context.mark.line, key: key)
        case YamlError.scanner(_, _, let mark, _), YamlError.parser(_, _, let mark, _),
            YamlError.composer(_, _, let mark, _):
            self = .notSettings(path: path, line: mark.line)
        default:
            self = .notSettings(path: path, line: nil)
        }
    }

    var description: String {
        switch self {
        case .notReadable(let path):
            "The file \(path) cannot be read as text. Check its name, owner and permissions."
        case .notSettings(let path, let line):
            "The file \(path) contains no settings in YAML. "
                + (line.map { "Check line \($0)." } ?? "Each line has the form 'key: value'.")
        case .unknownKey(let path, let line, let key):
            "\(Self.place(path, line)) has the unknown key '\(key)'. \(Self.advice(key))"
        case .doubledKey(let path, let line, let key):
            "The file \(path) has \(key.map { "the key '\($0)'" } ?? "the same key") twice, near line \(line)."
        case .notAValue(let path, let line, let key, let mayBeList):
            "\(Self.place(path, line)) must give the key '\(key)' one value\(mayBeList ? ", or a list of values" : "")."
        case .badValue(let path, let line, let error):
            "\(Self.place(path, line)) has a value that cannot be used. \(error)"
        }
    }

    private static func place(_ path: String, _ line: Int?) -> String {
        line.map { "Line \($0) of the file \(path)" } ?? "The file \(path)"
    }

    private static func advice(_ key: String) -> String {
        NearestKey.find(key, in: SettingsFile.keys).map { "Did you mean '\($0)'?" }
            ?? "Known keys: \(SettingsFile.keys.joined(separator: ", "))."
    }
}
