//! Lists the rules that such files have and variant files have not, and what no ending depends on.

/// A rule that a variant file lacks.
pub(super) struct Lacking {
    /// How its keys begin.
    pub(super) key: &'static str,
    /// The value with which it says nothing; none if each says something.
    pub(super) without: Option<&'static str>,
    /// Why it cannot be taken over.
    pub(super) why: &'static str,
}

const fn lacking(key: &'static str, without: &'static str, why: &'static str) -> Lacking {
    Lacking { key, without: Some(without), why }
}

const fn always(key: &'static str, why: &'static str) -> Lacking {
    Lacking { key, without: None, why }
}

const DROPS: &str = "men come from a hand, so what is on the board never says it all";
const WALLS: &str = "squares are walled in";
const REPETITION: &str = "what repetition is worth depends on the game so far";
const CONNECT: &str = "no rule of a variant file looks at rows of men";
const FORMS: &str = "men that are no pawns change what they are";
const FLAG: &str = "a goal is reached by one man, wherever the others stand";
const COUNT: &str = "no rule of a variant file counts men or moves at the end";

/// All of them. Of those that a key begins with the longest counts.
pub(super) const LACKING: [Lacking; 52] = [
    lacking("pieceDrops", "false", DROPS),
    lacking("capturesToHand", "false", DROPS),
    lacking("mustDrop", "false", DROPS),
    lacking("enclosingDrop", "none", DROPS),
    lacking("twoBoards", "false", DROPS),
    lacking("gating", "false", DROPS),
    lacking("seirawanGating", "false", DROPS),
    lacking("cambodianMoves", "false", "the first move of a king or a queen may be a leap"),
    lacking("flipEnclosedPieces", "none", "men change sides"),
    lacking("wallingRule", "none", WALLS),
    lacking("wallOrMove", "false", WALLS),
    lacking("petrifyOnCaptureTypes", "-", WALLS),
    lacking("mutuallyImmuneTypes", "-", "some men may not capture others"),
    lacking("connectN", "0", CONNECT),
    lacking("connectNxN", "0", CONNECT),
    lacking("connectRegion", "-", CONNECT),
    lacking("collinearN", "0", CONNECT),
    lacking("promotedPieceType", "-", FORMS),
    lacking("pieceDemotion", "false", FORMS),
    lacking("promotionLimit", "-", "what a pawn may become depends on the men that are there"),
    lacking("mandatoryPawnPromotion", "true", "a pawn may stay a pawn where it could promote"),
    lacking("sittuyinPromotion", "false", "a pawn promotes without going forward"),
    lacking("tripleStepRegion", "-", "a pawn may take three steps at once"),
    lacking("checkCounting", "false", "how many checks were given is no part of a table"),
    lacking("flagPieceCount", "1", FLAG),
    lacking("flagPieceSafe", "false", FLAG),
    lacking("flagPieceBlockedWin", "false", FLAG),
    lacking("mobilityRegion", "-", "men are kept to a part of the board"),
    lacking("diagonalLines", "-", "how a man moves depends on his square"),
    lacking("soldierPromotionRank", "1", "how a man moves depends on his square"),
    lacking("flyingGeneral", "false", "kings that see each other are in check"),
    lacking("bikjangRule", "false", "kings that see each other end the game"),
    lacking("makpongRule", "false", "a king may not move out of check"),
    lacking("shatarMateRule", "false", "not every check may mate"),
    lacking("immobilityIllegal", "false", "where a man may go depends on where he could go on"),
    lacking("dupleCheck", "false", "several men are royal together"),
    lacking("oppositeCastling", "false", "how a side may castle depends on how the other one did"),
    lacking("castlingWins", "-", "castling wins the game"),
    lacking("nFoldValue", "draw", REPETITION),
    lacking("nFoldValueAbsolute", "false", REPETITION),
    lacking("perpetualCheckIllegal", "false", REPETITION),
    lacking("moveRepetitionIllegal", "false", REPETITION),
    lacking("chasingRule", "none", REPETITION),
    lacking("materialCounting", "none", COUNT),
    lacking("adjudicateFullBoard", "false", COUNT),
    lacking("countingRule", "none", COUNT),
    always("enPassantTypes", "some pawns may not capture en passant"),
    always("nMoveRuleTypes", "the n-move rule begins anew with other men than pawns"),
    always("promotionPawnTypesWhite", "the sides' pawns do not promote alike"),
    always("promotionPawnTypesBlack", "the sides' pawns do not promote alike"),
    always("promotionPieceTypesWhite", "the sides' pawns do not become the same men"),
    always("promotionPieceTypesBlack", "the sides' pawns do not become the same men"),
];

/// How keys begin of which no ending depends: how a board is drawn, what men are worth to an engine, and
/// drops and forms where there are none.
pub(super) const WITHOUT_EFFECT: [&str; 21] = [
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
];
