extension Array {
    /// What is shown of a list of which one more than the limit was asked for: that tells whether there is a next page.
    ///
    /// - Parameter position: where the list goes on behind an entry.
    package func cut<Position>(
        to limit: Int, at position: (Element) -> Position
    ) -> (shown: [Element], next: Position?) {
        guard count > limit else { return (self, nil) }
        let shown = Array(prefix(limit))
        return (shown, shown.last.map(position))
    }
}
