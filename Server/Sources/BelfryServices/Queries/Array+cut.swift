extension Array {
    /// The page of a list that was read with one entry more than the limit: the extra entry shows that there is a next
    /// page.
    ///
    /// - Parameter position: the position of an entry, from which the list continues after it.
    /// - Returns: the entries of the page, and the position of the last one; nil if there is no next page.
    package func cut<Position>(
        to limit: Int, at position: (Element) -> Position
    ) -> (shown: [Element], next: Position?) {
        guard count > limit else { return (self, nil) }
        let shown = Array(prefix(limit))
        return (shown, shown.last.map(position))
    }
}
