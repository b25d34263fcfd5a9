import BelfryModel

/// The code of the refusal that `body` throws; nil when it throws none.
func refusalCode<Value>(_ body: () throws -> Value) -> String? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? Refusal)?.code
    }
}

/// The field that the error which `body` throws is about; nil when it throws none.
func refusedField<Value>(_ body: () throws -> Value) -> String? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? DecodingError)?.field
    }
}
