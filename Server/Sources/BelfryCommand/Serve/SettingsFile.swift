import BelfryModel
import Foundation
import Yams

/// The YAML file of `belfry serve`. It is looked at before it counts: a setting that is mistyped would silently be the
/// default.
enum SettingsFile {
    /// Those whose value may be a list.
    private static let lists: Set<String> = ["trustedProxies", "webPushHosts"]
    static let keys = [
        "host", "port", "data", "adminKey", "secretKey", "allowPrivateEndpoints", "rateLimit", "appBudget",
        "trustedProxies", "bodyMemory", "connectionsPerAddress", "tlsCertificate", "tlsKey", "webPushHosts",
        "database", "databaseConnections", "diskFloor",
    ]

    /// - Returns: whether anything stands in it.
    static func check(_ path: String) throws(SettingsFileError) -> Bool {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .notReadable(path: path)
        }
        let root: Node?
        do {
            root = try compose(yaml: text)
        } catch {
            throw SettingsFileError(path: path, error)
        }
        guard let root else { return false }
        guard let mapping = root.mapping else { throw .notSettings(path: path, line: nil) }
        for (key, value) in mapping {
            guard let name = key.string, keys.contains(name) else {
                throw .unknownKey(path: path, key: String((key.string ?? "").prefix(64)))
            }
            guard value.scalar != nil || (lists.contains(name) && value.sequence != nil) else {
                throw .notAValue(path: path, key: name)
            }
        }
        return true
    }
}

enum SettingsFileError: Error, CustomStringConvertible {
    case notReadable(path: String)
    case notSettings(path: String, line: Int?)
    case unknownKey(path: String, key: String)
    case doubledKey(path: String, line: Int)
    case notAValue(path: String, key: String)

    /// Of what the parser says only the place is told: around it may stand a secret.
    init(path: String, _ error: any Error) {
        switch error {
        case YamlError.duplicatedKeysInMapping(_, let context):
            self = .doubledKey(path: path, line: context.mark.line)
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
        case .unknownKey(let path, let key):
            "The file \(path) has the unknown key '\(key)'. \(Self.advice(key))"
        case .doubledKey(let path, let line):
            "The file \(path) has the same key twice, near line \(line)."
        case .notAValue(let path, let key):
            "The key '\(key)' in the file \(path) must have one value."
        }
    }

    private static func advice(_ key: String) -> String {
        NearestKey.find(key, in: SettingsFile.keys).map { "Did you mean '\($0)'?" }
            ?? "Known keys: \(SettingsFile.keys.joined(separator: ", "))."
    }
}
