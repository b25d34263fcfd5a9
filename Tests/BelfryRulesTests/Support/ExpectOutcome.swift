import Testing

/// Expects that a mutating call returns true. The macro itself cannot contain such a call.
func expectTrue(_ outcome: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome, sourceLocation: sourceLocation)
}

/// Expects that a mutating call returns false.
func expectFalse(_ outcome: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!outcome, sourceLocation: sourceLocation)
}
