import BelfryStore

extension Error {
    /// The database cannot do it now: what was asked for may well succeed later.
    package var meansTryAgain: Bool {
        if case .tryAgain? = self as? StoreError { true } else { false }
    }
}
