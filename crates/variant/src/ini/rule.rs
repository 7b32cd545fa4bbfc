//! Lists the rules that such files have and variant files have not, and what no ending depends on.

const DROPS: &str = "men come from a hand, so what is on the board never says it all";
const WALLS: &str = "squares are walled in";
const REPETITION: &str = "what repetition is worth depends on the game so far";
const CONNECT: &str = "no rule of a variant file looks at rows of men";
const FORMS: &str = "men that are no pawns change what they are";
const COUNT: &str = "no rule of a variant file counts men or moves at the end";

/// The rules that a variant file lacks: how their keys begin, the value with which they say nothing (none if
/// each says something), and why they cannot be taken over. Of those that a key begins with the longest
/// counts.
pub(super) const LACKING: [(&str, Option<&str>, &str); 39] = [
    ("pieceDrops", Some("false"), DROPS),
    ("capturesToHand", Some("false"), DROPS),
    ("mustDrop", Some("false"), DROPS),
    ("enclosingDrop", Some("none"), DROPS),
    ("twoBoards", Some("false"), DROPS),
    ("gating", Some("false"), DROPS),
    ("seirawanGating", Some("false"), DROPS),
    ("cambodianMoves", Some("false"), "the first move of a king or a queen may be a leap"),
    ("flipEnclosedPieces", Some("none"), "men change sides"),
    ("wallingRule", Some("none"), WALLS),
    ("wallOrMove", Some("false"), WALLS),
    ("petrifyOnCaptureTypes", Some("-"), WALLS),
    ("mutuallyImmuneTypes", Some("-"), "some men may not capture others"),
    ("connectNxN", Some("0"), CONNECT),
    ("connectRegion", Some("-"), CONNECT),
    ("collinearN", Some("0"), CONNECT),
    ("promotedPieceType", Some("-"), FORMS),
    ("pieceDemotion", Some("false"), FORMS),
    ("promotionLimit", Some("-"), "what a pawn may become depends on the men that are there"),
    ("sittuyinPromotion", Some("false"), "a pawn promotes without going forward"),
    ("tripleStepRegion", Some("-"), "a pawn may take three steps at once"),
    ("diagonalLines", Some("-"), "how a man moves depends on his square"),
    ("soldierPromotionRank", Some("1"), "how a man moves depends on his square"),
    ("flyingGeneral", Some("false"), "kings that see each other are in check"),
    ("bikjangRule", Some("false"), "kings that see each other end the game"),
    ("makpongRule", Some("false"), "a king may not move out of check"),
    ("shatarMateRule", Some("false"), "not every check may mate"),
    ("immobilityIllegal", Some("false"), "where a man may go depends on where he could go on"),
    ("dupleCheck", Some("false"), "several men are royal together"),
    ("castlingWins", Some("-"), "castling wins the game, and who may castle no more has lost it"),
    ("nFoldValue", Some("draw"), REPETITION),
    ("nFoldValueAbsolute", Some("false"), REPETITION),
    ("perpetualCheckIllegal", Some("false"), REPETITION),
    ("moveRepetitionIllegal", Some("false"), REPETITION),
    ("chasingRule", Some("none"), REPETITION),
    ("materialCounting", Some("none"), "what would be a draw is won, stalemate too"),
    ("adjudicateFullBoard", Some("false"), COUNT),
    ("countingRule", Some("none"), COUNT),
    ("enPassantTypes", None, "some pawns may not capture en passant"),
];

/// How keys begin of which no ending depends: how a board is drawn, what men are worth to an engine, and
/// drops and forms where there are none.
pub(super) const WITHOUT_EFFECT: [&str; 22] = [
    "pieceToCharTable",
    "variantTemplate",
    "pocketSize",
    "pieceValue",
    "startFen",
    "nFoldRule",
    "drop",
    "castlingDroppedPiece",
    "firstRankPawnDrops",
    "promotionZonePawnDrops",
    "shogiPawnDropMateIllegal",
    "sittuyinRookDrop",
    "mandatoryPiecePromotion",
    "piecePromotionOnCapture",
    "connectPieceTypes",
    "connectVertical",
    "connectHorizontal",
    "connectDiagonal",
    "connectValue",
    "wallingRegion",
    "petrifyBlastPieces",
    // Of kinds that are not there.
    "mobilityRegion",
];
