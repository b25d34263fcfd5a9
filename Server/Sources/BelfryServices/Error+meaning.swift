import BelfryStore

extension Error {
    /// Whether the database cannot do it now. The same request may succeed later.
    package var meansTryAgain: Bool {
        switch self as? StoreError {
        case .tryAgain?, .full?, .crowded?: true
        default: false
        }
    }

    /// Whether the database has no room on its disk.
    package var meansNoRoom: Bool {
        if case .full? = self as? StoreError { true } else { false }
    }

    /// Whether the database cannot read its own files. The work that met the error is not to blame: any other would
    /// fail, too.
    var meansDamage: Bool {
        if case .damaged? = self as? StoreError { true } else { false }
    }

    /// Whether an audience costs more than the limit, or other audiences are being computed already.
    package var meansOverload: Bool {
        switch self as? StoreError {
        case .tooExpensive?, .crowded?: true
        default: false
        }
    }

    /// Whether the database works, but the content of a row cannot be read.
    var meansUnreadable: Bool {
        if case .corrupted? = self as? StoreError { return true }
        return self is DecodingError
    }

    /// Whether the content of the request is to blame, so that a retry fails again: a row that cannot be read, or one
    /// that the engine rejects.
    var meansBadContent: Bool {
        if case .rejected? = self as? StoreError { return true }
        return meansUnreadable
    }
}
