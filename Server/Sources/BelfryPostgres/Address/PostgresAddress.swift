import CLibpq

/// The server, database and user of an address `postgres://user:password@host:port/name?sslmode=…`.
///
/// It holds the password, so it has no description that shows it.
package struct PostgresAddress: Sendable {
    private static let schemes = ["postgres://", "postgresql://"]

    /// The address's settings under libpq's names, without those that the address does not give.
    let settings: [String: String]

    /// - Throws: ``PostgresAddressError``, which never repeats the address, since the address contains a password.
    package init(_ text: String) throws(PostgresAddressError) {
        guard Self.schemes.contains(where: text.hasPrefix) else { throw .notAnAddress }
        var complaint: UnsafeMutablePointer<CChar>?
        // libpq's message about a bad address repeats the whole address, with its password.
        let options = PQconninfoParse(text, &complaint)
        PQfreemem(complaint)
        guard let options else { throw .notReadable }
        defer { PQconninfoFree(options) }
        settings = Self.settings(of: options)
    }

    /// The options of a libpq list that have a value. The list ends with an option that has no name.
    static func settings(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }

    /// How many servers the address names; 1 if it names none.
    package var servers: Int { PostgresHosts(settings).count }

    /// Server and database, for display to people.
    package var summary: String {
        "\(settings["dbname"] ?? settings["user"] ?? "the default database") on \(settings["host"] ?? "this machine")"
    }
}

package enum PostgresAddressError: Error, Hashable, CustomStringConvertible {
    case notAnAddress
    case notReadable

    package var description: String {
        switch self {
        case .notAnAddress: "The address of the database must begin with postgres:// (postgres://user@host/name)."
        case .notReadable:
            "The address of the database cannot be read. It has the form "
                + "postgres://user:password@host:port/name?sslmode=verify-full, with %-escapes for special characters."
        }
    }
}

extension PostgresAddress: CustomStringConvertible, CustomReflectable {
    package var description: String { summary }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
