import BelfryStore

extension AppService {
    /// An app as the layers above hand it on.
    package typealias App = AppRecord
}
