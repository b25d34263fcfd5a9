import Foundation

/// An admin key and its source. Error messages name the source, so that the operator knows what to correct.
package struct AdminKey: Sendable {
    enum Source: Hashable, Sendable {
        case environment
        case file(String)
        /// The key of a server that this program has started itself.
        case program
    }

    static let variable = "BELFRY_ADMIN_KEY"

    package let text: String
    let source: Source

    /// - Parameter file: the value of `--key-file`. It wins over the environment, and the environment wins over the
    ///   usual file.
    static func read(file: String?, environment: [String: String]) throws -> AdminKey {
        if let file {
            let text = try InputFile(file, option: "--key-file").text()
            return try AdminKey(reading: text, from: .file(file))
        }
        if let text = environment[variable], !text.isEmpty {
            return try AdminKey(reading: text, from: .environment)
        }
        let path = "\(environment["BELFRY_DATA"] ?? "data")/admin-key"
        do {
            return try AdminKey(reading: try InputFile(path, option: nil).text(), from: .file(path))
        } catch let error as InputFileError where error.reason == .missing {
            throw AdminKeyError.none(path: path)
        }
    }

    init(text: String, source: Source) {
        self.text = text
        self.source = source
    }

    /// Rejects a text that is not a key: it must not go into a header or into an error message.
    private init(reading text: String, from source: Source) throws(AdminKeyError) {
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !key.isEmpty, key.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .notAKey(source) }
        self.init(text: key, source: source)
    }
}

extension AdminKey.Source: CustomStringConvertible {
    var description: String {
        switch self {
        case .environment: AdminKey.variable
        case .file(let path): "the file \(path)"
        case .program: "this program"
        }
    }
}

enum AdminKeyError: Error, CustomStringConvertible {
    case none(path: String)
    case notAKey(AdminKey.Source)

    var description: String {
        switch self {
        case .none(let path):
            "There is no admin key in \(path). Set \(AdminKey.variable), or give its file with --key-file."
        case .notAKey(let source):
            "There is no admin key in \(source). A key is one line of printable characters. Is it the right one?"
        }
    }
}
