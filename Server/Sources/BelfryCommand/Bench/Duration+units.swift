extension Duration {
    var inSeconds: Double { self / Duration.seconds(1) }
    var inMilliseconds: Double { self / Duration.milliseconds(1) }
    var inMicroseconds: Double { self / Duration.microseconds(1) }
}
