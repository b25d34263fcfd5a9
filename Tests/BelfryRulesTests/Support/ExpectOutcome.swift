import Testing

/// What a mutating call returned is true. The macro itself cannot take such a call.
func expectTrue(_ outcome: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(outcome, sourceLocation: sourceLocation)
}

/// What a mutating call returned is false.
func expectFalse(_ outcome: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(!outcome, sourceLocation: sourceLocation)
}
