import BelfryModel

/// The code of the ``ValueError`` that `body` throws; nil when it throws none.
public func valueErrorCode<Value>(_ body: () throws -> Value) -> String? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? ValueError)?.code
    }
}
