import BelfryStore

extension Error {
    /// The database cannot do it now: what was asked for may well succeed later.
    package var meansTryAgain: Bool {
        switch self as? StoreError {
        case .tryAgain?, .full?: true
        default: false
        }
    }

    /// The database has no room on its disk.
    package var meansNoRoom: Bool {
        if case .full? = self as? StoreError { true } else { false }
    }
}
