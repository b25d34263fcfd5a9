import BelfryServerModel

extension Author {
    /// The values of the two columns `author_user` and `author_key`.
    static func values(_ author: Author?) -> [SQLValue] {
        switch author {
        case .user(let number)?: [.integer(number), .null]
        case .key(let name)?: [.null, .text(name)]
        case nil: [.null, .null]
        }
    }
}

extension NamedAuthor {
    /// Nil if the author is unknown.
    init?(user: Int64?, key: String?, userName: String?, displayName: String?) {
        if let user {
            self.init(.user(user), userName: userName, displayName: displayName)
        } else if let key {
            self.init(.key(key))
        } else {
            return nil
        }
    }
}
