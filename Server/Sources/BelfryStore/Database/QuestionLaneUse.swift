/// How many questions of a process are under way now, and how many wait for their turn.
package struct QuestionLaneUse: Hashable, Sendable {
    package let underWay: Int
    package let waiting: Int

    package init(underWay: Int, waiting: Int) {
        self.underWay = underWay
        self.waiting = waiting
    }
}
