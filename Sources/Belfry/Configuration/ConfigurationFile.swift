import BelfryModel
import Foundation

/// A decoded configuration file: one configuration, or several with names (REG-13). All of them are checked, so that a
/// mistake in the production configuration is noticed during development.
struct ConfigurationFile {
    private struct Entry {
        let name: String?
        let configuration: BelfryConfiguration
    }

    private var entries: [Entry] = []

    init(_ json: Data, directory: URL) throws(BelfryError) {
        switch try Self.read(json) {
        case .object(let object):
            entries = [try Self.entry(object, at: "", directory: directory)]
        case .list(let elements):
            for (index, element) in elements.enumerated() {
                try add(element, at: "[\(index)]", directory: directory)
            }
            guard !entries.isEmpty else {
                throw BelfryError(.invalidConfiguration, "An array of configurations must have at least one.")
            }
        case .text, .number, .flag, .null:
            throw BelfryError(.invalidConfiguration, "Expected an object, or an array of named objects.")
        }
    }

    /// - Parameter name: case-sensitive; nil when there is only one.
    func configuration(named name: String?) throws(BelfryError) -> BelfryConfiguration {
        let names = entries.compactMap(\.name).joined(separator: ", ")
        guard let name else {
            guard let only = entries.first, entries.count == 1 else {
                throw BelfryError(.invalidConfiguration, "There are several. Choose one of \(names).", field: "name")
            }
            return only.configuration
        }
        guard let picked = entries.first(where: { $0.name == name }) else {
            let known = names.isEmpty ? "the only one has no name" : "there are: \(names)"
            throw BelfryError(.invalidConfiguration, "There is no configuration '\(name)'; \(known).", field: "name")
        }
        return picked.configuration
    }

    private static func read(_ json: Data) throws(BelfryError) -> ConfigurationValue {
        do {
            return try CheckedJSON.decode(ConfigurationValue.self, from: json)
        } catch {
            throw BelfryError(.invalidConfiguration, "The configuration is not JSON: \(error)")
        }
    }

    private mutating func add(_ element: ConfigurationValue, at path: String, directory: URL) throws(BelfryError) {
        guard case .object(let object) = element else {
            throw BelfryError(
                .invalidConfiguration, "Expected an object, not \(element.kind).", field: path
            )
        }
        let entry = try Self.entry(object, at: path, directory: directory)
        guard let name = entry.name else {
            throw BelfryError(
                .invalidConfiguration, "In an array each configuration needs a name.", field: "\(path).name")
        }
        guard !entries.contains(where: { $0.name == name }) else {
            throw BelfryError(
                .invalidConfiguration, "Another configuration has the name '\(name)'.", field: "\(path).name")
        }
        entries.append(entry)
    }

    private static func entry(
        _ entries: [String: ConfigurationValue],
        at path: String,
        directory: URL
    ) throws(BelfryError) -> Entry {
        let object = try ConfigurationObject<ConfigurationKey>(entries, at: path)
        let name = try object.text(.name)
        guard name?.isEmpty != true else { throw object.invalid(.name, "A name cannot be empty.") }
        return Entry(name: name, configuration: try BelfryConfiguration(reading: object, directory: directory))
    }
}
