import CLibpq

/// Where a database is and as whom it is entered: what stands in `postgres://user:password@host:port/name?sslmode=…`.
///
/// It holds the password, so it has no description that shows it.
package struct PostgresAddress: Sendable {
    private static let schemes = ["postgres://", "postgresql://"]

    /// libpq's own settings, those that the address leaves out aside.
    let settings: [String: String]

    /// - Throws: ``PostgresAddressError``, which never repeats the address: a password stands in it.
    package init(_ text: String) throws(PostgresAddressError) {
        guard Self.schemes.contains(where: text.hasPrefix) else { throw .notAnAddress }
        var complaint: UnsafeMutablePointer<CChar>?
        // What libpq says of a bad address repeats it whole.
        let options = PQconninfoParse(text, &complaint)
        PQfreemem(complaint)
        guard let options else { throw .notReadable }
        defer { PQconninfoFree(options) }
        settings = Self.settings(of: options)
    }

    /// What has a value in a list of libpq's options, behind whose last is one without a name.
    static func settings(of options: UnsafeMutablePointer<PQconninfoOption>) -> [String: String] {
        var settings: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { settings[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return settings
    }

    /// How many servers it names; 1 where it names none.
    package var servers: Int { PostgresHosts(settings).count }

    /// Server and database, to be shown to people.
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
