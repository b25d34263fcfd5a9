extension [Double] {
    /// The value that this part of all does not exceed, such as 0.99; 0 when there is none.
    func quantile(_ part: Double) -> Double {
        guard !isEmpty else { return 0 }
        return self.sorted()[Swift.min(Int(Double(count) * part), count - 1)]
    }

    /// The middle one, or halfway between the middle two; 0 when there is none.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = self.sorted()
        let middle = count / 2
        return count.isMultiple(of: 2) ? (ordered[middle - 1] + ordered[middle]) / 2 : ordered[middle]
    }
}
