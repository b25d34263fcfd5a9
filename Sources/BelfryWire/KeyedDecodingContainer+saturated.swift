extension KeyedDecodingContainer {
    /// A whole number; if it is too large or too small for `Int`, the largest or smallest `Int`, so that the limits of
    /// its field refuse it.
    func decodeSaturated(forKey key: Key) throws -> Int {
        do {
            return try decode(Int.self, forKey: key)
        } catch {
            // A double this far from zero is always a whole number.
            guard let number = try? decode(Double.self, forKey: key), abs(number) >= 0x1p63 else { throw error }
            return number < 0 ? .min : .max
        }
    }
}
