import BelfryStore

extension Error {
    /// The database cannot do it now: what was asked for may well succeed later.
    package var meansTryAgain: Bool {
        switch self as? StoreError {
        case .tryAgain?, .full?, .crowded?: true
        default: false
        }
    }

    /// The database has no room on its disk.
    package var meansNoRoom: Bool {
        if case .full? = self as? StoreError { true } else { false }
    }

    /// The database cannot read its own files, whoever asks. What was to be done is not to blame.
    var meansDamage: Bool {
        if case .damaged? = self as? StoreError { true } else { false }
    }

    /// An audience costs more than it may, or others are asked for already.
    package var meansOverload: Bool {
        switch self as? StoreError {
        case .tooExpensive?, .crowded?: true
        default: false
        }
    }

    /// Nothing was wrong with the database, but with what stands in a row.
    var meansUnreadable: Bool {
        if case .corrupted? = self as? StoreError { return true }
        return self is DecodingError
    }

    /// It lies in what was asked for and comes again, whatever becomes of the database: a row that cannot be read, or one
    /// that the engine refuses.
    var meansBadContent: Bool {
        if case .refused? = self as? StoreError { return true }
        return meansUnreadable
    }
}
