import BelfryServerModel

extension Author {
    /// As two columns have it: `author_user` and `author_key`.
    static func values(_ author: Author?) -> [SQLValue] {
        switch author {
        case .user(let number)?: [.integer(number), .null]
        case .key(let name)?: [.null, .text(name)]
        case nil: [.null, .null]
        }
    }
}

extension NamedAuthor {
    /// Nil where nobody knows who it was.
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
