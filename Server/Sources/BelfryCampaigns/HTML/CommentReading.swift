/// Finds the end of a comment (HTML standard, 13.2.5.43 to 13.2.5.51).
struct CommentReading: Hashable {
    private enum Stage: Hashable {
        /// After `<!--`, and after one more dash.
        case start, startDash
        case inside
        /// After `-`, `--` and `--!`.
        case dash, end, endBang
    }

    enum Step: Hashable {
        case continues, ends
        /// Whether the comment has ended depends on a recipient's value, which may end with dashes.
        case isOpen
    }

    private var stage = Stage.start
    /// Whether only dashes and `!` have followed a recipient's value.
    private var isBehindValue = false

    mutating func read(_ byte: UInt8) -> Step {
        switch byte {
        case HTMLByte.dash: stage = Self.behindDash(stage)
        case HTMLByte.bang:
            stage = stage == .end ? .endBang : .inside
        case HTMLByte.greater:
            if stage != .inside, stage != .dash { return .ends }
            if isBehindValue { return .isOpen }
            stage = .inside
        default: (stage, isBehindValue) = (.inside, false)
        }
        return .continues
    }

    mutating func takeValue() {
        (stage, isBehindValue) = (.inside, true)
    }

    private static func behindDash(_ stage: Stage) -> Stage {
        switch stage {
        case .start: .startDash
        case .startDash, .dash, .end: .end
        case .inside, .endBang: .dash
        }
    }
}
