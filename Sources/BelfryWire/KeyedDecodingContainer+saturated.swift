extension KeyedDecodingContainer {
    /// A whole number; one that is too large or too small for `Int` is the largest or the smallest, so that the limits of
    /// its field are what it meets.
    func decodeSaturated(forKey key: Key) throws -> Int {
        do {
            return try decode(Int.self, forKey: key)
        } catch {
            // So far from zero a double is a whole number.
            guard let number = try? decode(Double.self, forKey: key), abs(number) >= 0x1p63 else { throw error }
            return number < 0 ? .min : .max
        }
    }
}
